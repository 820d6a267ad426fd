import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { Random } from '../../kernel/async/clock.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { isStatus, StatusError } from '../../kernel/errors/status-error.ts'
import type { Registry } from '../../registry/registry.ts'

/** An address and port. */
export interface Place {
  readonly host: string
  readonly port: number
}

interface Endpoints {
  readonly subsets?: readonly {
    readonly addresses?: readonly {
      readonly ip: string
      readonly targetRef?: { readonly name?: string; readonly namespace?: string }
    }[]
    readonly ports?: readonly { readonly name?: string; readonly port: number }[]
  }[]
}

/**
 * A ready endpoint of a port of a service, which has to be the address of a pod of the same namespace: who may write endpoints cannot lead this server
 * anywhere else. `asked` is the service as errors name it. @throws StatusError where there is none.
 */
export async function chooseEndpoint(
  registry: Registry,
  place: {
    readonly namespace: string
    readonly name: string
    readonly port: string
    readonly asked: string
  },
  random: Random,
): Promise<Place> {
  const { namespace, name, port, asked } = place
  const { subsets = [] } = await read<Endpoints>(registry, 'endpoints', namespace, name).catch(
    (error: unknown): never => {
      if (!isStatus(error, 'NotFound')) throw error
      const details = { name, kind: 'services' }
      throw new StatusError('NotFound', `services ${JSON.stringify(name)} not found`, { details })
    },
  )
  if (subsets.length === 0) throw none(name)
  for (const { addresses = [], ports = [] } of turned(subsets, random)) {
    const number = ports.find((one) => (one.name ?? '') === port)?.port
    if (number === undefined) continue
    for (const { ip, targetRef } of turned(addresses, random)) {
      const isPods = targetRef?.namespace === namespace && targetRef.name !== undefined
      if (isPods && (await hasAddress(registry, namespace, targetRef.name ?? '', ip))) {
        return { host: ip, port: number }
      }
    }
  }
  throw none(asked)
}

async function hasAddress(
  registry: Registry,
  namespace: string,
  pod: string,
  address: string,
): Promise<boolean> {
  try {
    const { status } = await read<Pod>(registry, 'pods', namespace, pod)
    return status?.podIPs?.some(({ ip }) => ip === address) ?? false
  } catch (error) {
    if (isStatus(error, 'NotFound')) return false
    throw error
  }
}

async function read<T>(
  registry: Registry,
  plural: string,
  namespace: string,
  name: string,
): Promise<T> {
  const kind = registry.scheme.routes[`api/v1/${plural}`] as AnyKind
  return (await registry.get({ kind, namespace, name }, {})).object() as unknown as T
}

function none(service: string): StatusError {
  const text = `no endpoints available for service ${JSON.stringify(service)}`
  return new StatusError('ServiceUnavailable', text)
}

/** All items from a random one on. */
function turned<T>(items: readonly T[], random: Random): readonly T[] {
  const first = Math.floor(random() * items.length)
  return [...items.slice(first), ...items.slice(0, first)]
}
