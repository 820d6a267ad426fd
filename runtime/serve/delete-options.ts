import { isObject, type Json, type JsonObject } from '../kernel/json.ts'
import type { Finding } from '../kernel/read.ts'
import { StatusError } from '../kernel/status.ts'
import type { DeleteOptions } from '../registry/registry.ts'
import { checkedType, decodeAs, readBody } from './body.ts'
import { headerOf, type Incoming } from './exchange.ts'
import { dryRunFindings, invalidOptions, unsupportedValue } from './options.ts'
import type { Binary } from './protobuf.ts'
import type { Query } from './query.ts'

const policies = ['Orphan', 'Background', 'Foreground'] as const

/** What a DELETE says in its body, or in its query where the body is empty. */
export async function deleteOptions(
  request: Incoming,
  query: Query,
  metaGroup: string,
  binary?: Binary,
): Promise<DeleteOptions> {
  const bytes = await readBody(request)
  const body = bytes.length === 0 ? queryBody(query) : await sentBody(request, bytes, binary)
  const dryRun = [...query.all('dryRun'), ...strings(body, 'dryRun')]
  const options = {
    ...grace(body),
    ...policy(body, metaGroup, dryRunFindings(dryRun)),
    ...preconditions(body, headerOf(request, 'if-match')),
  }
  return { ...options, dryRun: dryRun.length > 0 }
}

/** Options are of any group version: clients send them in that of the kind they delete. */
async function sentBody(
  request: Incoming,
  bytes: Uint8Array,
  binary: Binary | undefined,
): Promise<JsonObject> {
  const options = { kind: 'DeleteOptions', apiVersion: 'v1', message: 'meta/v1.DeleteOptions' }
  const form = binary && { binary, ...options }
  return bodyOf((await decodeAs(checkedType(request, form), bytes, form)).value)
}

function queryBody(query: Query): JsonObject {
  const seconds = query.integer('gracePeriodSeconds')
  return {
    ...(seconds !== undefined && { gracePeriodSeconds: seconds }),
    ...(query.has('orphanDependents') && { orphanDependents: query.flag('orphanDependents') }),
    ...(query.text('propagationPolicy') && { propagationPolicy: query.text('propagationPolicy') }),
  }
}

function bodyOf(value: Json): JsonObject {
  if (!isObject(value)) throw wrong('the body', 'an object', value)
  const kind = value.kind
  if (kind === undefined || kind === '' || kind === 'DeleteOptions') return value
  throw new StatusError(
    'BadRequest',
    `${typeof kind === 'string' ? kind : typeof kind} cannot be handled as a DeleteOptions`,
  )
}

function grace(body: JsonObject): Pick<DeleteOptions, 'gracePeriodSeconds'> {
  const seconds = body.gracePeriodSeconds ?? undefined
  if (seconds === undefined) return {}
  if (!Number.isSafeInteger(seconds)) throw wrong('gracePeriodSeconds', 'an integer', seconds)
  return { gracePeriodSeconds: seconds as number }
}

function policy(
  body: JsonObject,
  metaGroup: string,
  others: readonly Finding[],
): Pick<DeleteOptions, 'propagationPolicy'> {
  const orphan = body.orphanDependents ?? undefined
  const given = body.propagationPolicy ?? undefined
  if (orphan !== undefined && typeof orphan !== 'boolean') {
    throw wrong('orphanDependents', 'a boolean', orphan)
  }
  if (given !== undefined && typeof given !== 'string') {
    throw wrong('propagationPolicy', 'a string', given)
  }
  const findings = [...policyFindings(orphan, given), ...others]
  if (findings.length > 0) throw invalidOptions('DeleteOptions', metaGroup, findings)
  const known = policies.find((one) => one === given)
  if (known !== undefined) return { propagationPolicy: known }
  return orphan === undefined ? {} : { propagationPolicy: orphan ? 'Orphan' : 'Background' }
}

function policyFindings(orphan: boolean | undefined, given: string | undefined): Finding[] {
  const path = 'propagationPolicy'
  if (given === undefined || given === '') return []
  if (orphan !== undefined) {
    const why = 'orphanDependents and propagationPolicy cannot both be set'
    const message = `Invalid value: ${JSON.stringify(given)}: ${why}`
    return [{ path, reason: 'FieldValueInvalid', message }]
  }
  return policies.some((one) => one === given) ? [] : [unsupportedValue(path, given, policies)]
}

function preconditions(
  body: JsonObject,
  ifMatch: string | undefined,
): Pick<DeleteOptions, 'preconditions'> {
  const given = body.preconditions ?? {}
  if (!isObject(given)) throw wrong('preconditions', 'an object', given)
  const uid = text(given, 'uid')
  const version = text(given, 'resourceVersion') ?? ifMatch?.replace(/^W\//, '').replaceAll('"', '')
  if (uid === undefined && version === undefined) return {}
  return { preconditions: { ...(uid && { uid }), ...(version && { resourceVersion: version }) } }
}

function text(object: JsonObject, name: string): string | undefined {
  const value = object[name] ?? undefined
  if (value === undefined || typeof value === 'string') return value
  throw wrong(`preconditions.${name}`, 'a string', value)
}

function strings(object: JsonObject, name: string): readonly string[] {
  const value = object[name] ?? []
  if (!Array.isArray(value)) throw wrong(name, 'a list of strings', value)
  return value.map((one) => {
    if (typeof one === 'string') return one
    throw wrong(name, 'a list of strings', one)
  })
}

function wrong(path: string, expected: string, value: unknown): StatusError {
  const found = value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value
  return new StatusError('BadRequest', `${path}: expected ${expected}, found ${found}`)
}
