import type {
  Container,
  HTTPGetAction,
  Lifecycle,
  LifecycleHandler,
  Probe,
} from '../../../../generated/apis/core/v1/container.ts'
import { targetProblems } from '../../../kernel/meta/ports.ts'
import type { Check, Field } from '../../../kernel/walker/field.ts'

const header = /^[-A-Za-z0-9]+$/
const headerRule =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for " +
  "validation is '[-A-Za-z0-9]+')"

type Handler = Probe & LifecycleHandler

/** A probe checks in one way; only readiness can take more than one success. */
export function checkProbes(container: Field<Container>): void {
  const checkProbe: Check<Probe> = (probe) => {
    checkHandlers(probe, ['exec', 'httpGet', 'tcpSocket', 'grpc'])
    if ((probe.value.successThreshold ?? 1) !== 1) probe.invalid('successThreshold', 'must be 1')
  }
  container.when('livenessProbe', checkProbe)
  container.when('readinessProbe', (probe) => {
    checkHandlers(probe, ['exec', 'httpGet', 'tcpSocket', 'grpc'])
    if (probe.value.terminationGracePeriodSeconds === undefined) return
    probe.invalid('terminationGracePeriodSeconds', 'must not be set for readinessProbes')
  })
  container.when('startupProbe', checkProbe)
}

/** What runs after the start of a container, and before its end, does one thing. */
export const lifecycle: Check<Lifecycle> = (hooks) => {
  const check: Check<LifecycleHandler> = (hook) =>
    checkHandlers(hook, ['exec', 'httpGet', 'tcpSocket', 'sleep'])
  hooks.when('postStart', check)
  hooks.when('preStop', check)
}

/**
 * Handlers count in the order of `known`: the first is taken and judged, and each further one is Forbidden.
 */
function checkHandlers(
  field: Field<Probe> | Field<LifecycleHandler>,
  known: readonly (keyof Handler & string)[],
): void {
  const handler = field as Field<Handler>
  const [first, ...more] = known.filter((name) => handler.value[name] !== undefined)
  if (first === undefined) handler.required('', 'must specify a handler type')
  for (const name of more) {
    handler.passOver(name)
    handler.forbidden(name, 'may not specify more than 1 handler type')
  }
  if (first === 'exec' && !handler.value.exec?.command?.length) handler.required('exec.command')
  if (first === 'httpGet') handler.when('httpGet', checkRequest)
  if (first === 'tcpSocket') handler.when('tcpSocket', checkPort)
}

/** Errors of headers stand at their list. */
const checkRequest: Check<HTTPGetAction> = (request) => {
  checkPort(request)
  request.each('httpHeaders', (one) => {
    const { name = '' } = one.value
    one.passOver('name')
    if (!header.test(name)) request.invalid('httpHeaders', headerRule, name)
  })
}

function checkPort(field: Field<{ readonly port: number | string }>): void {
  const { port } = field.value
  if (port !== undefined) field.invalidAll('port', targetProblems(port))
}
