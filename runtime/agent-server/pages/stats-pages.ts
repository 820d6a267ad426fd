import { FolderSizes } from '../../container-runtime/container-runtime.ts'
import type { NodeView } from '../contract/node-view.ts'
import { Refusal } from '../contract/refusal.ts'
import { CpuRates } from '../stats/cpu-rates.ts'
import { summaryOf } from '../stats/summary.ts'
import { type AgentPage, send, sendJson } from './agent-page.ts'

const textFormat = 'text/plain; version=0.0.4; charset=utf-8'

/** `/stats/summary`. */
export function statsPage(): AgentPage {
  const rates = new CpuRates()
  const sizes = new FolderSizes()
  return async ({ view, rest, response }) => {
    if (rest[0] !== 'summary') throw new Refusal(404, '404 page not found')
    sendJson(response, await summaryOf(view, rates, sizes))
  }
}

/** A page of metrics. */
export function metricsPage(read: (view: NodeView) => Promise<string>): AgentPage {
  return async ({ view, response }) => send(response, textFormat, await read(view))
}
