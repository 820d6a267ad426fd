import type { ClassCount, ClassResult, FoundDifference } from './compare-class.ts'
import type { Step } from './scenario.ts'

/** What one class came to, and how long it took. */
export interface ClassReport {
  readonly name: string
  readonly result: ClassResult
  readonly seconds: number
}

/** What one class found, for people: the new differences with their smallest requests, and how often known ones were met. */
export function reportOf({ name, result: { found, count }, seconds }: ClassReport): string {
  const news = found.filter(({ because }) => because === undefined)
  const known = found.filter(({ because }) => because !== undefined)
  return [
    `\n${name}: ${count.cases} scenarios in ${seconds.toFixed(0)} s, ${news.length} new differences, ${known.length} known ones`,
    ...news.map(differenceText),
    ...known.map(
      ({ because, count, signature }) => `  known (${because}), ${count} times: ${signature}`,
    ),
  ].join('\n')
}

/** A row for each class. */
const columns = ['class', 'cases', 'requests', 'places', 'known', 'unexplained', 'seconds'] as const

/** One line a class: cases, requests to each server, places that differed, differences that are meant and that are not, seconds. */
export function tableOf(reports: readonly ClassReport[]): string {
  const rows = reports.map(({ name, result: { count }, seconds }) => [
    name,
    ...[count.cases, count.requests, count.places, count.known, count.unexplained].map(String),
    seconds.toFixed(0),
  ])
  const line = (cells: readonly string[]): string =>
    cells.map((cell, at) => (at === 0 ? cell.padEnd(13) : cell.padStart(12))).join('')
  return [line(columns), ...rows.map(line)].join('\n')
}

/** How far a class is: `objects: 1200 of 100000 (35 a second, 47 min left), 3 unexplained`. */
export function progressOf(
  name: string,
  count: ClassCount,
  cases: number,
  seconds: number,
): string {
  const rate = count.cases / Math.max(seconds, 0.001)
  const minutes = Math.ceil((cases - count.cases) / rate / 60)
  const speed = `${rate.toFixed(0)} a second, ${minutes} min left`
  return `${name}: ${count.cases} of ${cases} (${speed}), ${count.unexplained} unexplained`
}

/** One difference with the smallest request that shows it, and how to repeat it. */
function differenceText({
  count,
  index,
  signature,
  scenario,
  difference,
}: FoundDifference): string {
  const steps = scenario.steps.slice(0, difference.step + 1).filter(({ silent }) => !silent)
  return [
    `\n  ${signature}`,
    `    ${count} times, first in case ${index}:`,
    ...steps.map((step) => `      ${stepText(step)}`),
    `    at         ${difference.at}`,
    `    ours       ${difference.ours}`,
    `    reference  ${difference.reference}`,
  ].join('\n')
}

/** Most characters of a body that are shown; `--json` has it whole. */
const mostShown = 1500

/** A step as a person would type it. */
function stepText({ method, path, query, type, accept, headers, body, text }: Step): string {
  const options = query === undefined ? '' : `?${new URLSearchParams(query)}`
  const sent = text ?? (body === undefined ? '' : JSON.stringify(body))
  const told = [
    ...(accept === undefined ? [] : [`Accept: ${accept}`]),
    ...Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`),
    ...(type === undefined ? [] : [type]),
    sent.slice(0, mostShown),
  ]
  return `${method} ${path.slice(0, mostShown)}${options} ${told.join(' ')}`.trimEnd()
}
