/** The two schedulers that are compared. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { platform as own } from '../../../generated/platform.ts'
import { createClient, httpTransport, orchconfigText } from '../../../runtime/client/client.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import type { Platform } from '../../../runtime/kernel/descriptors/platform.ts'
import { type LogFields, silentLog } from '../../../runtime/observe/observe.ts'
import { createScheduler } from '../../../runtime/scheduler/scheduler.ts'
import type { SideScheduler } from './side.ts'

/** Scores by pod and node. */
class Scores {
  readonly #byPod = new Map<string, Map<string, number>>()

  set(pod: string, node: string, score: number): void {
    const known = this.#byPod.get(pod) ?? new Map<string, number>()
    this.#byPod.set(pod, known.set(node, score))
  }

  of(namespace: string, pod: string): ReadonlyMap<string, number> | undefined {
    return this.#byPod.get(`${namespace}/${pod}`)
  }
}

/** Our scheduler, in this process. */
export async function ownScheduler(url: string, platform: Platform): Promise<SideScheduler> {
  const client = createClient(httpTransport({ server: url }), { platform: own })
  const scores = new Scores()
  const log = {
    ...silentLog,
    debugging: true,
    debug: (event: string, fields: LogFields = {}) => {
      if (event !== 'nodes are compared') return
      for (const part of String(fields.scores).split(' ')) {
        const [node = '', score] = part.split('=')
        scores.set(String(fields.pod), node, Number(score))
      }
    },
    error: (event: string, fields?: LogFields, cause?: unknown) =>
      console.error(event, fields, cause),
  }
  const scheduler = await createScheduler({ client, platform, clock: systemClock, log })
  const end = new AbortController()
  const running = scheduler.run(end.signal)
  await scheduler.ready
  return {
    scoresOf: (namespace, pod) => scores.of(namespace, pod),
    partsOf: () => [],
    stop: async () => {
      end.abort()
      await running
      await client.close()
    },
  }
}

/** What the other scheduler writes of a node, with the verbosity that it is started with: the sum, and what each plugin makes of it. */
const scored = /final score for pod" pod="([^"]+)" node="([^"]+)" score=(-?\d+)/
const partly = /scored node for pod" pod="([^"]+)" plugin="([^"]+)" node="([^"]+)" score=(-?\d+)/

/** The scheduler of a program, which is found to be ready by its leading nothing: it works from the start. */
export async function programScheduler(
  program: string,
  url: string,
  folder: string,
): Promise<SideScheduler> {
  const file = join(folder, 'orchconfig')
  await writeFile(file, orchconfigText({ name: 'reference', server: url }))
  const child = spawn(
    program,
    [
      ...[`--kubeconfig=${file}`, `--authentication-kubeconfig=${file}`],
      ...[`--authorization-kubeconfig=${file}`, '--leader-elect=false', '--secure-port=0'],
      ...['--kube-api-qps=10000', '--kube-api-burst=10000', '--vmodule=schedule_one=10'],
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const scores = new Scores()
  const said: string[] = []
  const parts: string[] = []
  let isStopped = false
  createInterface({ input: child.stderr }).on('line', (line) => {
    const found = scored.exec(line)
    const part = partly.exec(line)
    if (found) scores.set(found[1]!, found[2]!, Number(found[3]))
    else if (part) parts.push(part.slice(1, 5).join(' '))
    else if (said.push(line) > 50) said.shift()
  })
  child.once('exit', (code) => {
    if (code && !isStopped) console.error(`${program} ended with ${code}:\n${said.join('\n')}`)
  })
  return {
    scoresOf: (namespace, pod) => scores.of(namespace, pod),
    partsOf: (namespace, pod) => parts.filter((one) => one.startsWith(`${namespace}/${pod} `)),
    stop: async () => {
      isStopped = true
      child.kill()
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}
