import type { APIService, APIServiceSpec } from '../../../generated/apis/apiregistration/v1.ts'
import { timestamp } from '../../kernel/async/clock.ts'
import { dns1035LabelProblems, dnsSubdomainProblems } from '../../kernel/meta/names.ts'
import { withCondition } from '../../kernel/meta/status-conditions.ts'
import { change } from '../../kernel/values/change.ts'
import type { Field } from '../../kernel/walker/field.ts'
import type { LooseObject } from '../../kernel/walker/loose.ts'
import type { Strategy } from '../strategy/strategy.ts'

/**
 * An object is named after its group version, which this server answers for itself: no version is handed over to another
 * server, and an object that asks for it is refused. What the server answers for is always available (supplement B-01, B-02).
 * Errors in the order name, group, version, service. Only `v1` has no group.
 */
export const apiService: Strategy<APIService> = {
  prepareCreate: (object, { now }) => withAvailableCondition(change(object, { status: {} }), now),
  prepareSubresource: (object, _, { now }) => withAvailableCondition(object, now),
  check(object) {
    const spec = object.child('spec')
    const { group = '', version = '', service } = spec.value
    const name = `${version}.${group}`
    if ((object.value.metadata?.name ?? '') !== name) {
      const why = `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(name)}`
      object.invalid('metadata.name', why, object.value.metadata?.name ?? '')
    }
    if (group !== '') spec.invalidAll('group', dnsSubdomainProblems(group))
    else if (version !== 'v1')
      spec.required('group', 'only v1 may have an empty group and it better be legacy kube')
    spec.invalidAll('version', dns1035LabelProblems(version), version)
    if (service === undefined) checkLocal(spec)
    else checkRemote(spec)
  },
}

/**
 * Whatever a client wrote to status, this condition is set again; its time of transition follows
 * the rule of conditions.
 */
function withAvailableCondition(
  object: LooseObject<APIService>,
  now: number,
): LooseObject<APIService> {
  const message = 'Local APIServices are always available'
  const available = { type: 'Available', status: 'True', reason: 'Local', message }
  return change(object, { status: withCondition(object.status ?? {}, available, timestamp(now)) })
}

/** Trust is about the connection to another server; without a service there is none. */
function checkLocal(spec: Field<APIServiceSpec>): void {
  const { caBundle = '', insecureSkipTLSVerify } = spec.value
  const why = 'has no meaning without a service'
  if (caBundle !== '') spec.forbidden('caBundle', why)
  if (insecureSkipTLSVerify) spec.forbidden('insecureSkipTLSVerify', why)
}

/**
 * The refusal comes first; the other errors are those that a server which can hand over has, so
 * that a client sees all of them at once.
 */
function checkRemote(spec: Field<APIServiceSpec>): void {
  const { service, caBundle = '', insecureSkipTLSVerify } = spec.value
  spec.forbidden('service', 'this server does not hand group versions over to other servers')
  if (!service?.namespace) spec.required('service.namespace')
  if (!service?.name) spec.required('service.name')
  if (insecureSkipTLSVerify && caBundle !== '') {
    spec.invalid('insecureSkipTLSVerify', 'may not be true if caBundle is present')
  }
}
