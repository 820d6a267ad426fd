import { Refusal } from '../contract/refusal.ts'
import { CpuRates } from '../stats/cpu-rates.ts'
import { containerMetrics, resourceMetrics } from '../stats/resource-metrics.ts'
import { summaryOf } from '../stats/summary.ts'
import { type AgentPage, send, sendJson } from './agent-page.ts'

const textFormat = 'text/plain; version=0.0.4; charset=utf-8'

/** `/stats/summary`. */
export function statsPage(): AgentPage {
  const rates = new CpuRates()
  return async ({ view, rest, response }) => {
    if (rest.length !== 1 || rest[0] !== 'summary') throw new Refusal(404, '404 page not found')
    sendJson(response, await summaryOf(view, rates))
  }
}

/** `/metrics/resource` and `/metrics/cadvisor`; undefined for other metrics. */
export function metricsPage(rest: readonly string[]): AgentPage | undefined {
  const read = rest.length === 1 ? texts.get(rest[0] ?? '') : undefined
  return read && (async ({ view, response }) => send(response, textFormat, await read(view)))
}

const texts = new Map([
  ['resource', resourceMetrics],
  ['cadvisor', containerMetrics],
])
