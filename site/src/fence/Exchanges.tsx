import { shownReply } from "../node/Shown.ts"
import type { Exchange } from "./Position.ts"

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
        <Arrow />
        <code class="exact">{shownReply(reply)}</code>
        {wrote && <span class="wrote">writes the key</span>}
      </li>
    ))}
  </ol>
)

/** Stands between a command and its reply. */
export const Arrow = () => (
  <>
    {" "}
    <span aria-hidden="true">→</span>
    <span class="visually-hidden">is answered</span>{" "}
  </>
)
