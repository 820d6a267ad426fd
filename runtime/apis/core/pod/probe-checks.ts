/** What a schema cannot say of probes and hooks. */
import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { forbidden, invalid, invalidAll, required } from '../../types/field-errors.ts'
import { targetProblems } from '../../types/ports.ts'
import type { Container, IntOrString, List } from '../../types/shapes.ts'

const handlers = ['exec', 'httpGet', 'tcpSocket', 'grpc']
const hooks = ['exec', 'httpGet', 'tcpSocket', 'sleep']
const header = /^[-A-Za-z0-9]+$/
const headerRule =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for " +
  "validation is '[-A-Za-z0-9]+')"

interface Handler {
  readonly exec?: { readonly command?: List<string> }
  readonly httpGet?: {
    readonly port?: IntOrString
    readonly httpHeaders?: List<{ readonly name?: string }>
  }
  readonly tcpSocket?: { readonly port?: IntOrString }
}

type Fields = Readonly<Record<string, unknown>>

/** A probe checks in one way; only readiness can take more than one success. */
export function checkProbes(path: string, container: Container): readonly FieldError[] {
  const { livenessProbe, readinessProbe, startupProbe } = container
  return [
    ...checkOne(`${path}.livenessProbe`, livenessProbe, true),
    ...checkOne(`${path}.readinessProbe`, readinessProbe, false),
    ...checkOne(`${path}.startupProbe`, startupProbe, true),
  ]
}

function checkOne(path: string, probe: object | undefined, once: boolean): readonly FieldError[] {
  if (probe === undefined) return []
  const { successThreshold = 1, terminationGracePeriodSeconds } = probe as Fields
  const end = `${path}.terminationGracePeriodSeconds`
  return [
    ...checkHandlers(path, probe, handlers),
    ...(once && successThreshold !== 1
      ? [invalid(`${path}.successThreshold`, successThreshold, 'must be 1')]
      : []),
    ...(!once && terminationGracePeriodSeconds !== undefined
      ? [invalid(end, terminationGracePeriodSeconds, 'must not be set for readinessProbes')]
      : []),
  ]
}

/** What runs after the start of a container, and before its end. */
export function checkHooks(path: string, lifecycle: object | undefined): readonly FieldError[] {
  const { postStart, preStop } = (lifecycle ?? {}) as { readonly [name: string]: object }
  return [
    ...(postStart ? checkHandlers(`${path}.postStart`, postStart, hooks) : []),
    ...(preStop ? checkHandlers(`${path}.preStop`, preStop, hooks) : []),
  ]
}

function checkHandlers(
  path: string,
  given: object,
  known: readonly string[],
): readonly FieldError[] {
  const fields = given as Fields
  const [first, ...more] = known.filter((handler) => fields[handler] !== undefined)
  const { exec, httpGet, tcpSocket } = given as Handler
  return [
    ...(first === undefined ? [required(path, 'must specify a handler type')] : []),
    ...more.map((handler) =>
      forbidden(`${path}.${handler}`, 'may not specify more than 1 handler type'),
    ),
    ...(exec && !exec.command?.length ? [required(`${path}.exec.command`)] : []),
    ...(httpGet ? checkPort(`${path}.httpGet.port`, httpGet.port) : []),
    ...(httpGet?.httpHeaders ?? []).flatMap(({ name }, index) =>
      name && !header.test(name)
        ? [invalid(`${path}.httpGet.httpHeaders[${index}].name`, name, headerRule)]
        : [],
    ),
    ...(tcpSocket ? checkPort(`${path}.tcpSocket.port`, tcpSocket.port) : []),
  ]
}

function checkPort(path: string, port: IntOrString | undefined): readonly FieldError[] {
  return port === undefined ? [] : invalidAll(path, port, targetProblems(port))
}
