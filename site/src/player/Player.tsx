import { useEffect, useState } from "preact/hooks"
import { Button } from "./Button.tsx"

/** Long enough to read a command and its reply. */
const PACE = 700

interface PlayerProps {
  /** What the buttons play. */
  readonly label: string
  readonly atStart: boolean
  readonly atEnd: boolean
  readonly onStep: () => void
  readonly onEnd: () => void
  readonly onReset: () => void
}

/** Steps through something, by hand or by itself. */
export const Player = ({ atEnd, atStart, label, onEnd, onReset, onStep }: PlayerProps) => {
  const [started, setStarted] = useState(false)
  const playing = started && !atEnd

  useEffect(() => {
    if (!playing) return
    const timer = setTimeout(onStep, PACE)
    return () => clearTimeout(timer)
  }, [playing, onStep])

  const paused = (then: () => void) => () => {
    setStarted(false)
    then()
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for what is filled in.
    <div class="controls" role="group" aria-label={label}>
      <Button primary disabled={atEnd} onPress={paused(onStep)}>
        Step
      </Button>
      <Button disabled={atEnd} onPress={() => setStarted(!playing)}>
        {playing ? "Pause" : "Play"}
      </Button>
      <Button disabled={atEnd} onPress={paused(onEnd)}>
        To the end
      </Button>
      <Button disabled={atStart} onPress={paused(onReset)}>
        Reset
      </Button>
    </div>
  )
}
