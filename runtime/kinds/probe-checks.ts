/** What a schema cannot say of probes. */
import type { Finding } from '../kernel/read.ts'
import { forbidden, invalid, required } from './findings.ts'
import type { Container } from './shapes.ts'

const handlers = ['exec', 'httpGet', 'tcpSocket', 'grpc']

type Fields = Readonly<Record<string, unknown>>

/** A probe checks in one way; only readiness can take more than one success. */
export function checkProbes(path: string, container: Container): readonly Finding[] {
  const { livenessProbe, readinessProbe, startupProbe } = container
  return [
    ...checkOne(`${path}.livenessProbe`, livenessProbe, true),
    ...checkOne(`${path}.readinessProbe`, readinessProbe, false),
    ...checkOne(`${path}.startupProbe`, startupProbe, true),
  ]
}

function checkOne(path: string, probe: object | undefined, once: boolean): readonly Finding[] {
  if (probe === undefined) return []
  const fields = probe as Fields
  const [first, ...more] = handlers.filter((handler) => fields[handler] !== undefined)
  const { successThreshold = 1 } = fields
  return [
    ...(first === undefined ? [required(path, 'must specify a handler type')] : []),
    ...more.map((handler) =>
      forbidden(`${path}.${handler}`, 'may not specify more than 1 handler type'),
    ),
    ...(once && successThreshold !== 1
      ? [invalid(`${path}.successThreshold`, successThreshold, 'must be 1')]
      : []),
  ]
}
