/** Policies in force in a real server on a socket. */
import '../../tools/test/guard.ts'
import { scheme } from '../../generated/scheme.ts'
import { validatingAdmissionPolicyGate } from '../../runtime/admission/admission.ts'
import {
  type ApiServerOptions,
  type RunningApiServer,
  startApiServer,
} from '../../runtime/apiserver/apiserver.ts'
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import { enabledGatesOf } from '../../runtime/kernel/descriptors/enabled-gates.ts'
import type { Scheme } from '../../runtime/kernel/descriptors/scheme.ts'
import { silentLog } from '../../runtime/observe/observe.ts'

export interface Reply {
  readonly status: number
  /** The texts of the Warning headers. */
  readonly warnings: readonly string[]
  readonly message: string
  readonly reason: string
  readonly json: Readonly<Record<string, unknown>>
}

export type Ask = (method: string, path: string, body?: unknown) => Promise<Reply>

export interface PolicyServer {
  readonly ask: Ask
  readonly server: RunningApiServer
}

export const policyGates = new Set([...enabledGatesOf(scheme), validatingAdmissionPolicyGate])
const policyGroup = '/apis/admissionregistration.orch.io/v1beta1'
export const policiesPath = `${policyGroup}/validatingadmissionpolicies`
export const bindingsPath = `${policyGroup}/validatingadmissionpolicybindings`

export async function startPolicyServer(
  options: {
    readonly scheme?: Scheme
    readonly on?: boolean
    readonly audit?: NonNullable<ApiServerOptions['audit']>
    readonly authorizer?: NonNullable<ApiServerOptions['authorizer']>
  } = {},
): Promise<PolicyServer> {
  const server = await startApiServer({
    scheme: options.scheme ?? scheme,
    storage: { kind: 'memory' },
    clock: systemClock,
    log: silentLog,
    listen: { port: 0 },
    ...(options.on !== false && { gates: policyGates }),
    ...(options.audit && { audit: options.audit }),
    ...(options.authorizer && { authorizer: options.authorizer }),
    runtimeConfig: ['api/all=true'],
  })
  return { server, ask: (method, path, body) => ask(server.url + path, method, body) }
}

async function ask(url: string, method: string, body: unknown): Promise<Reply> {
  const patching = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  const response = await fetch(url, {
    method,
    headers: { 'Content-Type': patching },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const json = (await response.json()) as Record<string, unknown>
  const { message = '', reason = '' } = json as { message?: string; reason?: string }
  const header = response.headers.get('warning') ?? ''
  const warnings = [...header.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) =>
    text.replace(/\\(.)/g, '$1'),
  )
  return { status: response.status, warnings, message, reason, json }
}

/** Requests about config maps, as rules of a policy. */
export const configMapRules = {
  resourceRules: [
    { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['*'] },
  ],
}

/** A policy about config maps unless its spec says otherwise. */
export function policy(name: string, spec: object) {
  return { metadata: { name }, spec: { matchConstraints: configMapRules, ...spec } }
}

/** A binding that refuses unless its spec says otherwise. */
export function binding(name: string, policyName: string, spec: object = {}) {
  return { metadata: { name }, spec: { policyName, validationActions: ['Deny'], ...spec } }
}

export function configMap(name: string, data: object = {}, metadata: object = {}) {
  return { metadata: { name, ...metadata }, data }
}

/** Puts policies and bindings into force; gives what takes them out again. */
export async function enforce(
  send: Ask,
  policies: readonly { readonly metadata: { readonly name: string } }[],
  bindings: readonly { readonly metadata: { readonly name: string } }[],
): Promise<() => Promise<void>> {
  const made: string[] = []
  const put = async (path: string, object: { readonly metadata: { readonly name: string } }) => {
    const { status, message } = await send('POST', path, object)
    if (status !== 201) throw new Error(`${object.metadata.name}: ${status} ${message}`)
    made.unshift(`${path}/${object.metadata.name}`)
  }
  for (const one of policies) await put(policiesPath, one)
  for (const one of bindings) await put(bindingsPath, one)
  return async () => {
    for (const path of made) await send('DELETE', path)
  }
}
