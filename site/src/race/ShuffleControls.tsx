import { Button } from "../player/Button.tsx"

interface ShuffleControlsProps {
  readonly seed: number
  readonly atStart: boolean
  readonly onSeed: (seed: number) => void
  readonly onShuffle: () => void
  readonly onReset: () => void
}

/** Starts over, or plays a whole order from a seed. */
export const ShuffleControls = ({ atStart, onReset, onSeed, onShuffle, seed }: ShuffleControlsProps) => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset is for what is filled in.
  <div class="controls shuffle" role="group" aria-label="Play the race">
    <Button primary onPress={onShuffle}>
      Shuffle
    </Button>
    <label for="race-seed">Seed</label>
    <input
      id="race-seed"
      type="number"
      min="0"
      step="1"
      value={seed}
      onInput={({ currentTarget }) => onSeed(Math.trunc(currentTarget.valueAsNumber) || 0)}
    />
    <Button disabled={atStart} onPress={onReset}>
      Reset
    </Button>
  </div>
)
