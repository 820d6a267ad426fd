/** Pods, what they write, and commands whose output is the answer. */
import { once } from 'node:events'
import { findPod, findRunning } from '../contract/find-container.ts'
import { Refusal } from '../contract/refusal.ts'
import { findLog } from '../logs/find-log.ts'
import { logOptions } from '../logs/log-options.ts'
import { readLog } from '../logs/read-log.ts'
import { type AgentPage, send, sendJson } from './agent-page.ts'

/** `/pods`: the pods of the node. */
export const podsPage: AgentPage = async ({ view, response }) => {
  const items = view.pods().map(({ kind: _, apiVersion: __, ...pod }) => pod)
  sendJson(response, { kind: 'PodList', apiVersion: 'v1', metadata: {}, items })
}

/** `/runningpods/`: what runs, as the runtime knows it. */
export const runningPodsPage: AgentPage = async ({ view: { runtime }, response }) => {
  const [sandboxes, containers] = await Promise.all([
    runtime.listPodSandboxes(),
    runtime.listContainers(),
  ])
  const items = sandboxes
    .filter(({ ready }) => ready)
    .map(({ id, config: { name, namespace, uid } }) => ({
      metadata: { name, namespace, uid },
      spec: {
        containers: containers
          .filter(({ sandboxId, state }) => sandboxId === id && state === 'running')
          .map(({ config, imageRef }) => ({ name: config.name, image: imageRef })),
      },
      status: {},
    }))
  sendJson(response, { kind: 'PodList', apiVersion: 'v1', metadata: {}, items })
}

/** `/containerLogs/<namespace>/<pod>/<container>`: the log of a container. */
export const containerLogsPage: AgentPage = async ({ view, rest, query, request, response }) => {
  const [namespace = '', name = '', container = ''] = rest
  const options = logOptions(query, view.clock.now())
  const { id, logFile } = await findLog(view, { namespace, name, container }, options.previous)
  const ended = new AbortController()
  request.socket.once('close', () => ended.abort())
  response.once('close', () => ended.abort())
  response.writeHead(200, { 'Content-Type': 'text/plain', 'X-Content-Type-Options': 'nosniff' })
  response.flushHeaders()
  const source = {
    ...{ file: logFile, clock: view.clock, signal: ended.signal },
    isRunning: () =>
      view.runtime.containerStatus(id).then(
        ({ state }) => state === 'running',
        () => false,
      ),
  }
  for await (const chunk of readLog(source, options)) {
    if (!response.write(chunk)) {
      await Promise.race([once(response, 'drain'), once(response, 'close')])
    }
    if (ended.signal.aborted) break
  }
  response.end()
}

/** Seconds that a command may take whose output is the answer. */
const commandSeconds = 120

/** `/run/<namespace>/<pod>[/<uid>]/<container>?cmd=`: runs a command and answers with its output. */
export const runPage: AgentPage = async ({ view, rest, query, response }) => {
  const path = containerPath(rest)
  const { id } = await findRunning(view, findPod(view, path), path.container)
  const command = query.getAll('cmd').flatMap((text) => text.split(' ').filter(Boolean))
  if (command.length === 0) throw new Refusal(400, 'the query names no command: cmd=')
  const { stdout, stderr } = await view.runtime.execSync(id, command, commandSeconds)
  send(response, 'text/plain', Buffer.concat([stdout, stderr]))
}

/** A container as paths name it: `<namespace>/<pod>[/<uid>]/<container>`. @throws Refusal for another form. */
export function containerPath(rest: readonly string[]): {
  readonly namespace: string
  readonly name: string
  readonly uid?: string | undefined
  readonly container: string
} {
  const [namespace = '', name = '', third, fourth, ...more] = rest
  if (third === undefined || more.length > 0) {
    throw new Refusal(404, 'expected <namespace>/<pod>[/<uid>]/<container>')
  }
  return fourth === undefined
    ? { namespace, name, container: third }
    : { namespace, name, uid: third, container: fourth }
}
