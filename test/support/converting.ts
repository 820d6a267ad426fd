/** A kind in two versions that a real HTTPS server converts: `Server`, or another one of the same form. */
import { type Clock, systemClock } from '../../runtime/kernel/async/clock.ts'
import { type CustomServer, type DefinitionBody, definition, startCustom } from './custom.ts'
import { type HttpsServer, startHttpsServer } from './https-server.ts'

/** An object of a kind with two versions. */
export interface Versioned {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: Readonly<Record<string, unknown>>
  readonly spec?: Readonly<Record<string, unknown>>
}

/** A question of conversion. */
export interface Review {
  readonly kind: string
  readonly apiVersion: string
  readonly request: {
    readonly uid: string
    readonly desiredAPIVersion: string
    readonly objects: readonly Versioned[]
  }
}

/** The object in another version: an address is one text in v1, a host and a port in v2. */
export function inVersion(object: Versioned, apiVersion: string): Versioned {
  const { spec = {}, ...rest } = object
  if (apiVersion.endsWith('/v1')) {
    const { host, port, ...others } = spec
    return { ...rest, apiVersion, spec: { ...others, address: `${host}:${port}` } }
  }
  const { address = ':0', ...others } = spec
  const [host, port] = String(address).split(':')
  return { ...rest, apiVersion, spec: { ...others, host, port: Number(port) } }
}

/** The answer to a question: right unless something else is said. */
export function review({ kind, apiVersion, request }: Review, response: object = {}): object {
  const { uid, desiredAPIVersion, objects } = request
  const convertedObjects = objects.map((one) => inVersion(one, desiredAPIVersion))
  const result = { status: 'Success' }
  return { kind, apiVersion, response: { uid, convertedObjects, result, ...response } }
}

/** Answers every question rightly. */
export const faithful = (question: never): object => review(question)

/** A server with a definition whose versions a webhook converts. */
export interface Converting {
  readonly custom: CustomServer
  readonly hook: HttpsServer
  /** Creates an object of the first version, with the address `a:80` unless it is given. */
  readonly make: (name: string, address?: string) => Promise<void>
  readonly stop: () => Promise<void>
}

/** Starts the server, and a webhook that answers rightly until it is told otherwise. */
export async function startConverting(clock: Clock = systemClock): Promise<Converting> {
  const hook = await startHttpsServer(faithful)
  const custom = await startCustom({ clock })
  await custom.define(serverDefinition(hook, 'Server'))
  return {
    custom,
    hook,
    async make(name, address = 'a:80') {
      const body = { metadata: { name }, spec: { address } }
      const { status, text } = await custom.ask('POST', at('v1'), body)
      if (status !== 201) throw new Error(text)
    },
    async stop() {
      await custom.stop()
      await hook.stop()
    },
  }
}

/** The versions of the definition. */
export function versionsOf(storage: 'v1' | 'v2'): readonly object[] {
  const text = { type: 'string' }
  const note = { note: text }
  const specs = {
    v1: { address: text, ...note },
    v2: { host: text, port: { type: 'integer' }, weight: { type: 'integer', default: 1 }, ...note },
  }
  return Object.entries(specs).map(([name, properties]) => ({
    name,
    served: true,
    storage: name === storage,
    schema: {
      openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } },
    },
  }))
}

/** A definition of the kind; `versions` are the forms of the question that its webhook understands. */
export function serverDefinition(
  hook: HttpsServer,
  kind: string,
  versions: readonly string[] = ['v1'],
): DefinitionBody {
  const clientConfig = { url: `${hook.url}/convert`, caBundle: hook.caBundle }
  return definition(
    kind,
    {},
    {
      spec: {
        versions: versionsOf('v1'),
        conversion: {
          strategy: 'Webhook',
          webhook: { clientConfig, conversionReviewVersions: versions },
        },
      },
    },
  )
}

/** The path of a version of the kind, or of an object of it. */
export const at = (version: string, name = '', kind = 'Server'): string =>
  `/apis/example.com/${version}/namespaces/default/${kind.toLowerCase()}s${name && `/${name}`}`
