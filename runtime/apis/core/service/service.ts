import type {
  Service,
  ServicePort,
  ServiceSpec,
} from '../../../../generated/apis/core/v1/service.ts'
import { change, changeAll } from '../../../kernel/values/change.ts'
import type { Field } from '../../../kernel/walker/field.ts'
import type { Loose, LooseObject } from '../../../kernel/walker/loose.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import { loadBalancerIngress } from '../../types/conditions.ts'
import { checkService } from './service-checks.ts'
import {
  checkServiceUpdate,
  dropTypeDependentFields,
  isExternallyAccessible,
  keepAllocatedValues,
  needsClusterIP,
  normalizeClusterIPs,
} from './service-update.ts'
import { serviceWarnings } from './service-warnings.ts'

type Spec = Loose<ServiceSpec>

/**
 * A service keeps what was allocated for it, and gives up what its type no longer needs.
 * On an update allocated values are taken over first, then the list of addresses is settled, and at
 * last those go that the new type has no use for (supplement I-07).
 */
export const service: Strategy<Service> = {
  defaults: (object) => withSpec(object, defaultSpec),
  prepareCreate: (object) => withSpec(object, (spec) => normalizeClusterIPs(spec)),
  prepareUpdate(object, { spec: old = {} }) {
    return withSpec(object, (spec) =>
      dropTypeDependentFields(normalizeClusterIPs(keepAllocatedValues(spec, old), old), old),
    )
  },
  warn: (object, _, { platform }) => serviceWarnings(object, platform.domain),
  check(object) {
    const spec = object.child('spec')
    checkService(spec)
    if (spec.old) checkServiceUpdate(spec, spec.old)
  },
  checkStatus: checkServiceStatus,
}

/** Only a service that asks for a load balancer is told where it is. */
function checkServiceStatus(object: Field<Service>): void {
  const balancer = object.child('status').child('loadBalancer')
  const { type } = object.value.spec ?? {}
  if (type !== 'LoadBalancer' && balancer.value.ingress?.length) {
    balancer.forbidden('ingress', "may only be used when `spec.type` is 'LoadBalancer'")
    return
  }
  balancer.each('ingress', (ingress) => {
    loadBalancerIngress(ingress)
    const { ipMode, ip } = ingress.value
    if (ipMode === undefined || ip) return
    ingress.forbidden('ipMode', 'may not be specified when `ip` is not set')
  })
}

function withSpec(object: LooseObject<Service>, to: (spec: Spec) => Spec): LooseObject<Service> {
  return object.spec === undefined ? object : change(object, { spec: to(object.spec) })
}

const threeHours = 10800

function defaultSpec(spec: Spec): Spec {
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

/**
 * Traffic goes to the same port of the pod unless the service says otherwise; 0 and an empty text
 * count as absent.
 */
function withTarget(port: Loose<ServicePort>): Loose<ServicePort> {
  return port.targetPort || port.port === undefined ? port : { ...port, targetPort: port.port }
}

/** Sessions by client address last three hours by default; without sessions there is nothing to configure. */
function affinityOf(spec: Spec): Spec['sessionAffinityConfig'] {
  const { sessionAffinity, sessionAffinityConfig: config } = spec
  if (sessionAffinity !== 'ClientIP') return undefined
  if (config?.clientIP?.timeoutSeconds !== undefined) return config
  return { ...config, clientIP: { ...config?.clientIP, timeoutSeconds: threeHours } }
}
