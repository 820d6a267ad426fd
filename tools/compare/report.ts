import type { FoundDifference } from './compare-class.ts'
import type { Step } from './scenario.ts'

/** What one class found, for people: the new differences with their smallest requests, and how often known ones were met. */
export function reportOf(
  name: string,
  cases: number,
  milliseconds: number,
  found: readonly FoundDifference[],
): string {
  const news = found.filter(({ because }) => because === undefined)
  const known = found.filter(({ because }) => because !== undefined)
  const seconds = (milliseconds / 1000).toFixed(0)
  return [
    `\n${name}: ${cases} scenarios in ${seconds} s, ${news.length} new differences, ${known.length} known ones`,
    ...news.map(differenceText),
    ...known.map(
      ({ because, count, signature }) => `  known (${because}), ${count} times: ${signature}`,
    ),
  ].join('\n')
}

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

function stepText({ method, path, query, type, body, text }: Step): string {
  const options = query === undefined ? '' : `?${new URLSearchParams(query)}`
  const sent = text ?? (body === undefined ? '' : JSON.stringify(body))
  return `${method} ${path}${options} ${type ?? ''} ${sent.slice(0, mostShown)}`.trimEnd()
}
