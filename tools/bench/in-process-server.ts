import { scheme } from '../../generated/scheme.ts'
import { startApiServer } from '../../runtime/apiserver/apiserver.ts'
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../runtime/observe/observe.ts'

/** A server in this process that takes requests without a socket. */
export interface InProcessServer {
  /** The text of an answer; fails with it unless it says that all is well. */
  readonly request: (method: string, path: string, body?: object | string) => Promise<string>
  /** Creates a definition and waits until it is established. */
  readonly define: (definition: object | string) => Promise<void>
  readonly stop: () => Promise<void>
}

const definitions = `/apis/apiextensions.${scheme.platform.api}/v1/customresourcedefinitions`
/** The condition as it stands in the text of a definition: the answer is large and need not be parsed. */
const established = /"type":"Established","status":"True"/

/** Starts a server on an in-memory store. `stop` has to be called: the server holds timers. */
export async function startInProcessServer(): Promise<InProcessServer> {
  const storage = { kind: 'memory' } as const
  const server = await startApiServer({ scheme, storage, clock: systemClock, log: silentLog })
  const ask: InProcessServer['request'] = async (method, path, body) => {
    const text = typeof body === 'object' ? JSON.stringify(body) : body
    const headers = { 'content-type': 'application/json' }
    const sent = text === undefined ? {} : { body: text }
    const reply = await server.dispatch({ method, path, headers, ...sent })
    const parts: Uint8Array[] = []
    for await (const part of reply.body) parts.push(part)
    const answer = Buffer.concat(parts).toString()
    if (reply.status > 299) throw new Error(answer.slice(0, 2000))
    return answer
  }
  return {
    request: ask,
    async define(definition) {
      const created = await ask('POST', definitions, definition)
      const { metadata } = JSON.parse(created) as { metadata: { name: string } }
      const path = `${definitions}/${metadata.name}`
      while (!established.test(await ask('GET', path))) {
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
    stop: () => server.stop(),
  }
}
