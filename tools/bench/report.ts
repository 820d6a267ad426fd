/** What a benchmark says, and how it is shown. */

/** The nearest physical limit of a figure, measured in the same run. */
export interface Limit {
  readonly name: string
  readonly value: number
}

/** What a figure has to reach: itself, or its share of the limit. */
export interface Goal {
  readonly atLeast?: number
  readonly atMost?: number
  readonly of?: 'limit'
}

/**
 * Takes one figure of a benchmark: its name, value and unit, the physical limit beside it, and what it has to reach.
 */
export type Report = (name: string, value: number, unit: string, limit?: Limit, goal?: Goal) => void

/** One row of the table. */
export interface Figure {
  readonly bench: string
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly limit?: Limit
  /** The value in shares of the limit. */
  readonly ratio?: number
  readonly goal?: Goal
  /** True if the goal is reached; absent where there is none. */
  readonly reached?: boolean
}

/** The figure as it is printed and compared: its share of the limit, and whether it reaches the goal. */
export function figureOf(
  bench: string,
  [name, value, unit, limit, goal]: Parameters<Report>,
): Figure {
  const ratio = limit && value / limit.value
  const judged = goal?.of === 'limit' ? (ratio ?? Number.NaN) : value
  return {
    bench,
    name,
    value,
    unit,
    ...(limit && { limit }),
    ...(ratio !== undefined && { ratio }),
    ...(goal && { goal, reached: holds(goal, judged) }),
  }
}

/** True if a value keeps both bounds of a goal. */
function holds({ atLeast = -Infinity, atMost = Infinity }: Goal, value: number): boolean {
  return value >= atLeast && value <= atMost
}

/** Characters of the columns: name, figure, share, goal, verdict. */
const widths = [48, 16, 7, 9, 7] as const

/** The first line of the table. */
export const heading = row(['', 'figure', 'share', 'goal', '', 'of'])

/** The figure as a row of the table. */
export function rowOf({ name, value, unit, limit, ratio, goal, reached }: Figure): string {
  const verdict = reached === undefined ? '' : reached ? 'ok' : 'MISSED'
  const beside = limit === undefined ? '' : `${limit.name} (${number(limit.value)} ${unit})`
  const share = ratio === undefined ? '' : ratio.toFixed(2)
  return row([name, `${number(value)} ${unit}`, share, goalText(goal), verdict, beside])
}

/** `<= 50` and its like. */
function goalText(goal: Goal | undefined): string {
  if (goal === undefined) return ''
  const bound = goal.atLeast ?? goal.atMost ?? Number.NaN
  const text = goal.of === 'limit' ? bound.toFixed(2) : number(bound)
  return `${goal.atLeast === undefined ? '<=' : '>='} ${text}`
}

/** Numbers stand at the right of their columns, words at the left. */
function row([name = '', ...rest]: readonly string[]): string {
  const cells = rest.map((text, at) => (at < 3 ? text.padStart(widths[at + 1] ?? 0) : text))
  return `  ${[name.padEnd(widths[0]), ...cells.slice(0, 3), cells[3]?.padEnd(widths[4]), ...cells.slice(4)].join('  ')}`.trimEnd()
}

/** Three digits say all that a measurement knows. */
function number(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2
  return value.toLocaleString('en', { maximumFractionDigits: digits })
}
