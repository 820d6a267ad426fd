/** Admission webhooks as an operator declares them. */
import type { UserInfo } from '../../../generated/apis/authentication/v1.ts'
import type { LabelSelector } from '../../../generated/apis/meta/v1/label-selector.ts'
import type { Client } from '../../client/client.ts'
import type { AnyKind, Kind } from '../../kernel/descriptors/kind.ts'
import { dnsSubdomainProblems } from '../../kernel/meta/names.ts'
import { type ApiObject, apiVersionOf, type Stored } from '../../kernel/meta/object.ts'
import type { Log } from '../../observe/observe.ts'

/** What a request does to an object. */
export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE'

/** A value that may be changed, and everything in it. */
export type Mutable<T> = T extends readonly (infer I)[]
  ? Mutable<I>[]
  : T extends object
    ? { -readonly [K in keyof T]: Mutable<T[K]> }
    : T

/** The request that a webhook is asked about, and what the webhook says of it. */
export type AdmissionRequest<T extends ApiObject> = AdmissionFacts &
  (
    | { readonly operation: 'CREATE'; readonly oldObject: undefined }
    | {
        readonly operation: 'UPDATE' | 'DELETE'
        /** The object as it is stored. */
        readonly oldObject: Stored<T>
      }
  )

/** What is the same for every operation. */
interface AdmissionFacts {
  /** Names the review, in the server's records as in ours. */
  readonly uid: string
  /** Absent where the server is yet to make a name. */
  readonly name: string | undefined
  readonly namespace: string | undefined
  readonly subresource: string | undefined
  /** Whose request it is. */
  readonly userInfo: UserInfo
  /** True if nothing will be stored: what a handler does besides must not be done. */
  readonly dryRun: boolean
  /** The client of the operator. */
  readonly client: Client
  readonly log: Log
  /** Aborts when the server waits no longer. */
  readonly signal: AbortSignal
  /**
   * Refuses the request. With a field the refusal names it with its value, as the rules of a schema do; all fields that are refused are
   * told at once.
   */
  refuse(message: string): void
  refuse(field: string, message: string): void
  /** Tells who sent the request something, whether it is refused or not. */
  warn(text: string): void
  /** Leaves a note in the server's audit log. */
  annotate(key: string, text: string): void
}

/**
 * A webhook for the objects of one kind. A server asks it before it writes, so it must be quick, and it may be asked more than once
 * about one request.
 */
export interface AdmissionWebhook<T extends ApiObject = ApiObject> {
  /** Fully qualified, as messages show it to users: `websites.web.example.com`. */
  readonly name: string
  /** The kind of the objects. Requests in other versions of it are asked about in this one. */
  readonly for: Kind<T>
  /** Default: CREATE and UPDATE. */
  readonly operations?: readonly AdmissionOperation[]
  /** Asked about writes through this subresource in place of those of the object itself. */
  readonly subresource?: string
  /**
   * Changes the draft of an object; not called for a deletion. What the schema requires may be missing, since the server looks at that
   * later.
   */
  mutate?(draft: Mutable<T>, request: AdmissionRequest<T>): Promise<void> | void
  /** Looks at the object as it would be stored; of a deletion, at the object that goes. */
  validate?(object: T, request: AdmissionRequest<T>): Promise<void> | void
  /** Kinds that it reads through `client`: the operator's account gets the right to. */
  readonly reads?: readonly AnyKind[]
  /** Whether requests are refused or let through while it cannot be asked, or fails. Default `Fail`. */
  readonly failurePolicy?: 'Fail' | 'Ignore'
  /** Whether it does anything beside its answer. Default `None`: what does, looks at `dryRun`. */
  readonly sideEffects?: 'None' | 'NoneOnDryRun'
  /** Seconds that servers wait for it, 1 to 30. Default 10. */
  readonly timeoutSeconds?: number
  /** Expressions of which all have to hold for it to be asked. */
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[]
  readonly namespaceSelector?: LabelSelector
  readonly objectSelector?: LabelSelector
  /** Whether it is asked again after a later webhook changed the object. Default `Never`. */
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded'
}

/** A webhook whatever its object type: what a server of webhooks holds. */
// biome-ignore lint/suspicious/noExplicitAny: AdmissionWebhook is invariant in its object type
export type AnyAdmissionWebhook = AdmissionWebhook<any>

/**
 * Declares a webhook; `serveWebhooks` serves it, and servers hear of it by what `orch package` writes, or from a control plane for tests.
 *
 * @throws Error for what no server would take, with what to write in its place.
 * @example
 * export const websiteWebhook = defineWebhook({
 *   name: 'websites.web.example.com',
 *   for: websites,
 *   mutate(draft) {
 *     draft.spec.servers ??= 2
 *   },
 *   validate(website, { oldObject, refuse }) {
 *     if (oldObject && website.spec.title === '') refuse('spec.title', 'must not become empty')
 *   },
 * })
 */
export function defineWebhook<T extends ApiObject>(
  webhook: AdmissionWebhook<T>,
): AdmissionWebhook<T> {
  const problem = problemOf(webhook)
  if (problem !== undefined) throw new Error(`webhook ${webhook.name}: ${problem}`)
  return webhook
}

function problemOf(webhook: AnyAdmissionWebhook): string | undefined {
  const { name, for: kind, mutate, validate, subresource, timeoutSeconds = 10 } = webhook
  if (name.split('.').length < 3 || dnsSubdomainProblems(name).length > 0) {
    return `expected a name with a domain of yours, such as ${kind.plural}.web.example.com`
  }
  if (mutate === undefined && validate === undefined) return 'expected mutate, validate or both'
  const operations = operationsOf(webhook)
  if (operations.length === 0) return 'expected operations: CREATE, UPDATE, DELETE'
  if (mutate !== undefined && operations.every((one) => one === 'DELETE')) {
    return 'mutate: an object that is deleted cannot be changed; validate may refuse it'
  }
  if (!(timeoutSeconds >= 1 && timeoutSeconds <= 30)) return 'expected timeoutSeconds from 1 to 30'
  return subresource === undefined ? undefined : subresourceProblem(kind, subresource)
}

/** Subresources whose bodies are of other kinds are not for it: its handlers are typed. */
function subresourceProblem(kind: AnyKind, name: string): string | undefined {
  const own = kind.subresources.filter(
    (one) => one.kind === kind.kind && one.apiVersion === apiVersionOf(kind),
  )
  if (own.some((one) => one.name === name)) return undefined
  const names = own.map((one) => one.name).join(', ') || 'none'
  return `subresource ${name}: those of ${kind.plural} with an object of its kind: ${names}`
}

/** The operations that a webhook is asked about. */
export function operationsOf({
  operations = ['CREATE', 'UPDATE'],
}: Pick<AnyAdmissionWebhook, 'operations'>): readonly AdmissionOperation[] {
  return operations
}
