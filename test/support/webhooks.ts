/** Webhooks of this process, asked by a real registry over real HTTPS. */
import '../../tools/test/guard.ts'
import type { ApiObject } from '../../runtime/kernel/meta/object.ts'
import type { JsonObject } from '../../runtime/kernel/values/json.ts'
import { make, openAdmitted } from './admission.ts'
import { type HttpsServer, type RequestHandler, startHttpsServer } from './https-server.ts'
import { kindAt, type OpenRegistry } from './registry.ts'

/** A registry with every plugin that is on by default, and a server for webhooks. */
export interface RegistryWithWebhooks extends OpenRegistry {
  readonly server: HttpsServer
  /** What answers at which path. */
  readonly answers: Map<string, RequestHandler>
}

/** What a webhook is asked about. */
export interface ReceivedReview {
  readonly uid: string
  readonly operation: string
  readonly object: ApiObject | null
  readonly oldObject: ApiObject | null
  readonly [name: string]: unknown
}

export interface Review {
  readonly apiVersion: string
  readonly kind: string
  readonly request: ReceivedReview
}

/** A webhook, as its configuration says it, and how it answers. Asked about every write of a config map by default. */
export interface Hook {
  readonly name: string
  readonly mutating?: true
  readonly answer: (review: Review) => unknown
  /** The configuration that it stands in; one of its own by default. */
  readonly fields?: Readonly<Record<string, unknown>>
}

export async function openWithWebhooks(
  admission: Parameters<typeof openAdmitted>[0] = {},
): Promise<RegistryWithWebhooks> {
  const opened = await openAdmitted(admission)
  const answers = new Map<string, RequestHandler>()
  const server = await startHttpsServer((body, arrived) => {
    const answer = answers.get(arrived.path.split('?')[0] ?? '')
    return answer?.(body, arrived)
  })
  const close = async () => {
    await opened.close()
    await server.stop()
  }
  return { ...opened, server, answers, close }
}

/** A rule about some resources. */
export function rule(
  resources: readonly string[],
  { operations = ['*'], group = '*', version = '*', scope = '*' } = {},
) {
  return { operations, apiGroups: [group], apiVersions: [version], resources, scope }
}

/** Registers webhooks, does the work, and takes them away again; gives what they were asked, in order. */
export async function withHooks(
  opened: RegistryWithWebhooks,
  hooks: readonly Hook[],
  work: (asked: readonly ReceivedReview[]) => Promise<void>,
): Promise<void> {
  const asked: ReceivedReview[] = []
  const made: [string, string][] = []
  try {
    for (const { name, mutating, answer, fields } of hooks) {
      opened.answers.set(`/${name}`, ((review: Review) => {
        asked.push(review.request)
        return answer(review)
      }) as RequestHandler)
      const path = configurations(mutating ? 'mutating' : 'validating')
      await make(opened, path, configuration(opened, name, fields))
      made.push([path, name])
    }
    await work(asked)
  } finally {
    for (const [path, name] of made) {
      await opened.registry.delete({ kind: kindAt(path), name }, { dryRun: false })
    }
  }
}

export function configurations(kind: 'mutating' | 'validating'): string {
  return `apis/admissionregistration.orch.io/v1/${kind}webhookconfigurations`
}

/** A configuration of one webhook; its own name, too, with the domain that webhooks must have. */
export function configuration(
  { server }: Pick<RegistryWithWebhooks, 'server'>,
  name: string,
  fields: Readonly<Record<string, unknown>> = {},
) {
  const webhook = {
    name: `${name}.example.com`,
    clientConfig: { url: `${server.url}/${name}`, caBundle: server.caBundle },
    rules: [rule(['configmaps'])],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...fields,
  }
  return { metadata: { name }, webhooks: [webhook] }
}

/** An answer to a review. */
export function answered(
  { apiVersion, kind, request }: Review,
  response: Readonly<Record<string, unknown>>,
) {
  return { apiVersion, kind, response: { uid: request.uid, ...response } }
}

export const allow = (review: Review) => answered(review, { allowed: true })

export function deny(status?: object) {
  return (review: Review) => answered(review, { allowed: false, ...(status && { status }) })
}

/** Allows with a JSON patch. */
export function patching(...operations: readonly JsonObject[]) {
  const patch = Buffer.from(JSON.stringify(operations)).toString('base64')
  return (review: Review) => answered(review, { allowed: true, patchType: 'JSONPatch', patch })
}
