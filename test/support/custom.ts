import { scheme } from '../../generated/scheme.ts'
import {
  type ApiServerOptions,
  type RunningApiServer,
  startApiServer,
} from '../../runtime/apiserver/apiserver.ts'
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../runtime/observe/observe.ts'
import { until } from './until.ts'

/** A real server on a port, and what a client does with definitions on it. */
export interface CustomServer {
  readonly server: RunningApiServer
  readonly ask: (method: string, path: string, body?: unknown, type?: string) => Promise<Answer>
  /** Creates a definition and waits until it is established. */
  readonly define: (definition: object) => Promise<void>
  readonly stop: () => Promise<void>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any form
  readonly json: any
}

export const definitionsPath = '/apis/apiextensions.orch.io/v1/customresourcedefinitions'

export async function startCustom(options: Partial<ApiServerOptions> = {}): Promise<CustomServer> {
  const server = await startApiServer({
    scheme,
    storage: { kind: 'memory' },
    clock: systemClock,
    log: silentLog,
    listen: { port: 0 },
    ...options,
  })
  const ask = async (
    method: string,
    path: string,
    body?: unknown,
    type = 'application/json',
  ): Promise<Answer> => {
    const accept = method === 'GET' && type !== 'application/json' ? { accept: type } : {}
    const response = await fetch(server.url + path, {
      method,
      headers: { 'content-type': type, ...accept },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const json = text.startsWith('{') ? JSON.parse(text) : undefined
    return { status: response.status, headers: response.headers, text, json }
  }
  return {
    server,
    ask,
    async define(definition) {
      const created = await ask('POST', definitionsPath, definition)
      if (created.status !== 201) throw new Error(created.text)
      await established(ask, created.json.metadata.name)
    },
    stop: () => server.stop(),
  }
}

/** Waits until a definition has the condition, with the status. */
export async function conditioned(
  ask: CustomServer['ask'],
  name: string,
  type: string,
  status: string,
): Promise<Readonly<Record<string, string>>> {
  return until(`${name} is ${type} ${status}`, async () => {
    const { json } = await ask('GET', `${definitionsPath}/${name}`)
    const conditions: readonly Readonly<Record<string, string>>[] = json.status?.conditions ?? []
    return conditions.find((one) => one.type === type && one.status === status)
  })
}

export async function established(ask: CustomServer['ask'], name: string): Promise<void> {
  await conditioned(ask, name, 'Established', 'True')
}

/** What a test says of a definition. */
export interface DefinitionBody {
  readonly metadata: {
    readonly name: string
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly spec: Readonly<Record<string, unknown>>
}

/** A definition of one served and stored version, in the group `example.com`. */
export function definition(
  kind: string,
  schema: object,
  more: { readonly spec?: object; readonly version?: object; readonly names?: object } = {},
): DefinitionBody {
  const plural = `${kind.toLowerCase()}s`
  return {
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural, kind, ...more.names },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema },
          ...more.version,
        },
      ],
      ...more.spec,
    },
  }
}
