import { shownReply } from "../node/Shown.ts"
import type { Exchange } from "./Position.ts"
import "./exchanges.css"

interface ExchangesProps {
  readonly label: string
  readonly exchanges: ReadonlyArray<Exchange>
}

/** What was sent and what came back, in order. */
export const Exchanges = ({ exchanges, label }: ExchangesProps) => (
  <ol class="exchanges" aria-label={label}>
    {exchanges.map(({ command, reply, wrote }, at) => (
      <li key={at}>
        <code>{command.join(" ")}</code>
        <Reply wrote={wrote}>{shownReply(reply)}</Reply>
      </li>
    ))}
  </ol>
)

interface ReplyProps {
  readonly wrote: boolean
  readonly children: string
}

/** What a command was answered, on a line below it. */
export const Reply = ({ children, wrote }: ReplyProps) => (
  <div class="reply">
    <span aria-hidden="true">→ </span>
    <span class="visually-hidden">is answered </span>
    <code class="exact">{children}</code>
    {wrote && <span class="wrote">writes the key</span>}
  </div>
)
