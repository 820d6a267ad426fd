/** `/checkpoint/<namespace>/<pod>/<container>`: writes what a container does to a file, from which it could go on. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { timestamp } from '../../kernel/async/clock.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import { findPod, findRunning } from '../contract/find-container.ts'
import { Refusal } from '../contract/refusal.ts'
import { type AgentPage, sendJson } from './agent-page.ts'

/** Longest time that may be asked for, in seconds. */
const mostSeconds = 3600

/** The page that writes into a folder. Names of pods and containers cannot leave it: they are those of pods that run. */
export function checkpointPage(folder: string): AgentPage {
  return async ({ view, rest, query, response }) => {
    const [namespace = '', name = '', container = ''] = rest
    const seconds = secondsOf(query)
    const { id } = await findRunning(view, findPod(view, { namespace, name }), container)
    const at = timestamp(view.clock.now())
    const file = join(folder, `checkpoint-${name}_${namespace}-${container}-${at}.tar`)
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      if (view.runtime.checkpointContainer === undefined) {
        const { name: runtime } = await view.runtime.version()
        throw new Error(`the runtime ${runtime} writes no checkpoints`)
      }
      await view.runtime.checkpointContainer(id, file, seconds)
    } catch (error) {
      const what = `${namespace}/${name}/${container}`
      throw new Refusal(500, `checkpointing of ${what} failed (${errorText(error)})`)
    }
    sendJson(response, { items: [file] })
  }
}

/** Seconds that it may take; 0 leaves that to the runtime. */
function secondsOf(query: URLSearchParams): number {
  const text = query.get('timeout')
  if (text === null) return 0
  const seconds = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (seconds <= mostSeconds) return seconds
  throw new Refusal(400, `timeout: expected a number of seconds up to ${mostSeconds}`)
}
