/** The rules of Service that need no allocation of addresses or ports. */

import { change, changeAll } from '../../strategy/change.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import type { Service, ServicePort, ServiceSpec } from '../../types/shapes.ts'
import { checkService } from './service-checks.ts'
import {
  checkServiceUpdate,
  dropTypeDependentFields,
  isExternallyAccessible,
  keepAllocatedValues,
  needsClusterIP,
  normalizeClusterIPs,
} from './service-update.ts'

/** A service keeps what was allocated for it, and gives up what its type no longer needs. */
export const service: Strategy = {
  defaults: (object) => withSpec(object as Service, defaultSpec),
  prepareCreate: (object) => withSpec(object as Service, (spec) => normalizeClusterIPs(spec)),
  prepareUpdate(object, before) {
    const old = (before as Service).spec ?? {}
    return withSpec(object as Service, (spec) =>
      dropTypeDependentFields(keepAllocatedValues(normalizeClusterIPs(spec, old), old), old),
    )
  },
  validate(object, before) {
    const { spec = {} } = object as Service
    const old = (before as Service | undefined)?.spec
    return [...checkService(spec), ...(old ? checkServiceUpdate(spec, old) : [])]
  },
}

function withSpec(object: Service, to: (spec: ServiceSpec) => ServiceSpec): Service {
  return object.spec === undefined ? object : change(object, { spec: to(object.spec) })
}

const threeHours = 10800

function defaultSpec(spec: ServiceSpec): ServiceSpec {
  const balanced = spec.type === 'LoadBalancer'
  return change(spec, {
    ports: changeAll(spec.ports, withTarget),
    sessionAffinityConfig: affinityOf(spec),
    ...(needsClusterIP(spec) && { internalTrafficPolicy: spec.internalTrafficPolicy ?? 'Cluster' }),
    ...(isExternallyAccessible(spec) && {
      externalTrafficPolicy: spec.externalTrafficPolicy ?? 'Cluster',
    }),
    ...(balanced && { allocateLoadBalancerNodePorts: spec.allocateLoadBalancerNodePorts ?? true }),
  })
}

function withTarget(port: ServicePort): ServicePort {
  return port.targetPort || port.port === undefined ? port : { ...port, targetPort: port.port }
}

/** Sessions by client address last three hours by default; without sessions there is nothing to configure. */
function affinityOf(spec: ServiceSpec): ServiceSpec['sessionAffinityConfig'] {
  const { sessionAffinity, sessionAffinityConfig: config } = spec
  if (sessionAffinity !== 'ClientIP') return undefined
  if (config?.clientIP?.timeoutSeconds !== undefined) return config
  return { ...config, clientIP: { ...config?.clientIP, timeoutSeconds: threeHours } }
}
