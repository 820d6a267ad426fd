/** What queries of requests to nodes, pods and services say. */

import { StatusError } from '../../kernel/errors/status-error.ts'
import type { Json, JsonObject } from '../../kernel/values/json.ts'
import type { ContainerSpecs } from './pod-facts.ts'

/** How values of each kind of query are written. */
const fields: Readonly<
  Record<string, Readonly<Record<string, 'bool' | 'int' | 'ints' | 'text' | 'texts'>>>
> = {
  PodLogOptions: {
    ...{ container: 'text', follow: 'bool', previous: 'bool', sinceSeconds: 'int' },
    ...{ sinceTime: 'text', timestamps: 'bool', tailLines: 'int', limitBytes: 'int' },
    insecureSkipTLSVerifyBackend: 'bool',
  },
  PodExecOptions: {
    ...{ stdin: 'bool', stdout: 'bool', stderr: 'bool', tty: 'bool', container: 'text' },
    command: 'texts',
  },
  PodAttachOptions: {
    ...{ stdin: 'bool', stdout: 'bool', stderr: 'bool', tty: 'bool', container: 'text' },
  },
  PodPortForwardOptions: { ports: 'ints' },
  PodProxyOptions: { path: 'text' },
  NodeProxyOptions: { path: 'text' },
  ServiceProxyOptions: { path: 'text' },
}

/** The options that a query says, as their kind has them. @throws StatusError BadRequest for a number that is none. */
export function queryOptions(kind: string, query: URLSearchParams): JsonObject {
  const options: Record<string, Json> = {}
  for (const [name, type] of Object.entries(fields[kind] ?? {})) {
    if (!query.has(name)) continue
    const values = query.getAll(name)
    const [first = ''] = values
    if (type === 'text') options[name] = first
    else if (type === 'texts') options[name] = values
    else if (type === 'bool') options[name] = !/^(0|f|false)$/i.test(first)
    else if (type === 'int') options[name] = number(first)
    else options[name] = values.flatMap((text) => text.split(',')).map(listedNumber)
  }
  return options
}

function number(text: string): number {
  if (/^[+-]?\d{1,15}$/.test(text)) return Number(text)
  const why = /^[+-]?\d+$/.test(text) ? 'value out of range' : 'invalid syntax'
  throw new StatusError('BadRequest', `strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}`)
}

function listedNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const why = /^\d+$/.test(text) ? 'value out of range' : 'invalid syntax'
  const said = `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}`
  throw new StatusError('BadRequest', `cannot convert to []int32: ${said}`)
}

/** @throws StatusError Invalid for options of a log that have no meaning. */
export function checkLogOptions(name: string, options: JsonObject): void {
  const { sinceSeconds, sinceTime, tailLines, limitBytes } = options
  const causes = [
    ...atLeast('tailLines', tailLines, 0),
    ...atLeast('limitBytes', limitBytes, 1),
    ...(sinceSeconds !== undefined && sinceTime !== undefined
      ? [forbidden('[]', 'at most one of `sinceTime` or `sinceSeconds` may be specified')]
      : []),
    ...(sinceTime === undefined ? atLeast('sinceSeconds', sinceSeconds, 1) : []),
  ]
  if (causes.length === 0) return
  const text = causes.map(({ field, message }) => `${field}: ${message}`)
  const all = text.length === 1 ? text[0] : `[${text.join(', ')}]`
  throw new StatusError('Invalid', `PodLogOptions ${JSON.stringify(name)} is invalid: ${all}`, {
    details: { name, kind: 'PodLogOptions', causes },
  })
}

function forbidden(field: string, why: string) {
  return { reason: 'FieldValueForbidden', message: `Forbidden: ${why}`, field } as const
}

function atLeast(field: string, value: Json | undefined, least: 0 | 1) {
  if (typeof value !== 'number' || value >= least) return []
  const why = least === 0 ? 'must be greater than or equal to 0' : 'must be greater than 0'
  return [
    { reason: 'FieldValueInvalid', message: `Invalid value: ${value}: ${why}`, field } as const,
  ]
}

/** The container of a pod that is meant. @throws StatusError BadRequest where that is not clear. */
export function containerOf(pod: ContainerSpecs, named: string, action: 'log' | 'other'): string {
  const { name, containers, initContainers, ephemeralContainers, defaultContainer } = pod
  const all = [...initContainers, ...containers, ...ephemeralContainers]
  if (named !== '') {
    if (all.includes(named)) return named
    throw new StatusError('BadRequest', `container ${named} is not valid for pod ${name}`)
  }
  const [only, ...others] = containers
  if (only === undefined) {
    throw new StatusError('BadRequest', `a container name must be specified for pod ${name}`)
  }
  if (others.length === 0) return only
  if (action === 'log' && defaultContainer !== undefined && all.includes(defaultContainer)) {
    return defaultContainer
  }
  throw new StatusError(
    'BadRequest',
    `a container name must be specified for pod ${name}, choose one of: [${all.join(' ')}]`,
  )
}
