import type { Random } from '#platform/base/random';

/** Weights of an LSTM cell and of its linear output, one array for all. */
export interface LstmShape {
  readonly inputs: number;
  readonly hidden: number;
  readonly outputs: number;
}

export const weightCount = ({ inputs, hidden, outputs }: LstmShape): number =>
  4 * hidden * (inputs + hidden + 1) + outputs * (hidden + 1);

export function randomWeights(shape: LstmShape, random: Random): Float64Array {
  const { inputs, hidden } = shape;
  const deviation = 1 / Math.sqrt(inputs + hidden);
  const weights = Float64Array.from({ length: weightCount(shape) }, () => random.normal(0, deviation));
  // An open forget gate lets the cell remember from the start.
  for (let unit = 0; unit < hidden; unit++) weights[gateAt(shape, 1, unit) + inputs + hidden] = 1;
  return weights;
}

const gateAt = ({ inputs, hidden }: LstmShape, gate: number, unit: number): number =>
  (gate * hidden + unit) * (inputs + hidden + 1);
const outputAt = ({ inputs, hidden }: LstmShape, output: number): number =>
  4 * hidden * (inputs + hidden + 1) + output * (hidden + 1);

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

interface Step {
  readonly input: Float64Array;
  readonly before: Float64Array;
  readonly memoryBefore: Float64Array;
  /** Activations of the input, forget, candidate and output gates. */
  readonly gates: Float64Array;
  readonly memory: Float64Array;
}

export interface LstmRun {
  readonly steps: readonly Step[];
  readonly hidden: Float64Array;
  readonly outputs: Float64Array;
}

/** Runs the cell over a sequence, and returns the outputs after its end. */
export function runLstm(shape: LstmShape, weights: Float64Array, sequence: readonly Float64Array[]): LstmRun {
  const { inputs, hidden, outputs } = shape;
  const steps: Step[] = [];
  let [state, memory] = [new Float64Array(hidden), new Float64Array(hidden)];
  for (const input of sequence) {
    const gates = new Float64Array(4 * hidden);
    const [next, nextMemory] = [new Float64Array(hidden), new Float64Array(hidden)];
    for (let gate = 0; gate < 4; gate++) {
      for (let unit = 0; unit < hidden; unit++) {
        const at = gateAt(shape, gate, unit);
        let sum = weights[at + inputs + hidden] as number;
        for (let i = 0; i < inputs; i++) sum += (weights[at + i] as number) * (input[i] as number);
        for (let i = 0; i < hidden; i++) sum += (weights[at + inputs + i] as number) * (state[i] as number);
        gates[gate * hidden + unit] = gate === 2 ? Math.tanh(sum) : sigmoid(sum);
      }
    }
    for (let unit = 0; unit < hidden; unit++) {
      const [take, keep, candidate, show] = [0, 1, 2, 3].map((gate) => gates[gate * hidden + unit] as number) as [
        number,
        number,
        number,
        number,
      ];
      nextMemory[unit] = keep * (memory[unit] as number) + take * candidate;
      next[unit] = show * Math.tanh(nextMemory[unit] as number);
    }
    steps.push({ input, before: state, memoryBefore: memory, gates, memory: nextMemory });
    [state, memory] = [next, nextMemory];
  }
  const result = new Float64Array(outputs);
  for (let o = 0; o < outputs; o++) {
    const at = outputAt(shape, o);
    let sum = weights[at + hidden] as number;
    for (let i = 0; i < hidden; i++) sum += (weights[at + i] as number) * (state[i] as number);
    result[o] = sum;
  }
  return { steps, hidden: state, outputs: result };
}

/** Adds the gradient of the loss to `gradient`, by backpropagation through time. `slopes` are those of the outputs. */
export function addGradient(
  shape: LstmShape,
  weights: Float64Array,
  { steps, hidden: last }: LstmRun,
  slopes: Float64Array,
  gradient: Float64Array,
): void {
  const { inputs, hidden, outputs } = shape;
  const add = (at: number, value: number) => void (gradient[at] = (gradient[at] as number) + value);
  let state = new Float64Array(hidden);
  for (let o = 0; o < outputs; o++) {
    const at = outputAt(shape, o);
    const slope = slopes[o] as number;
    add(at + hidden, slope);
    for (let i = 0; i < hidden; i++) {
      add(at + i, slope * (last[i] as number));
      state[i] = (state[i] as number) + slope * (weights[at + i] as number);
    }
  }
  let memory = new Float64Array(hidden);
  for (const step of steps.toReversed()) {
    const back = backStep(shape, step, state, memory);
    const before = new Float64Array(hidden);
    for (let row = 0; row < 4 * hidden; row++) {
      const slope = back.gates[row] as number;
      if (slope === 0) continue;
      const at = row * (inputs + hidden + 1);
      for (let i = 0; i < inputs; i++) add(at + i, slope * (step.input[i] as number));
      for (let i = 0; i < hidden; i++) {
        add(at + inputs + i, slope * (step.before[i] as number));
        before[i] = (before[i] as number) + slope * (weights[at + inputs + i] as number);
      }
      add(at + inputs + hidden, slope);
    }
    [state, memory] = [before, back.memory];
  }
}

/** Returns the slopes before the gates' activations, and that of the memory before the step. */
function backStep({ hidden }: LstmShape, step: Step, state: Float64Array, memory: Float64Array) {
  const gates = new Float64Array(4 * hidden);
  const before = new Float64Array(hidden);
  for (let unit = 0; unit < hidden; unit++) {
    const of = (gate: number) => step.gates[gate * hidden + unit] as number;
    const [take, keep, candidate, show] = [of(0), of(1), of(2), of(3)];
    const shown = Math.tanh(step.memory[unit] as number);
    const slope = (memory[unit] as number) + (state[unit] as number) * show * (1 - shown * shown);
    gates[unit] = slope * candidate * take * (1 - take);
    gates[hidden + unit] = slope * (step.memoryBefore[unit] as number) * keep * (1 - keep);
    gates[2 * hidden + unit] = slope * take * (1 - candidate * candidate);
    gates[3 * hidden + unit] = (state[unit] as number) * shown * show * (1 - show);
    before[unit] = slope * keep;
  }
  return { gates, memory: before };
}
