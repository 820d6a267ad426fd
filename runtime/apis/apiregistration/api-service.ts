import type { APIService, APIServiceSpec } from '../../../generated/apis/apiregistration/v1.ts'
import { timestamp } from '../../kernel/async/clock.ts'
import { dns1035LabelProblems, dnsSubdomainProblems } from '../../kernel/meta/names.ts'
import { withCondition } from '../../kernel/meta/status-conditions.ts'
import { change } from '../../kernel/values/change.ts'
import { quoted } from '../../kernel/values/quoted.ts'
import type { Field } from '../../kernel/walker/field.ts'
import type { LooseObject } from '../../kernel/walker/loose.ts'
import type { Strategy } from '../strategy/strategy.ts'

/**
 * An object is named after its group version. What the server answers for itself is always available; of another server that is found out
 * (supplement B-01, B-02). Errors in the order name, group, version, service. Only `v1` has no group.
 */
export const apiService: Strategy<APIService> = {
  prepareCreate: (object, { now }) => withLocalCondition(change(object, { status: {} }), now),
  prepareUpdate: (object, _, { now }) => withLocalCondition(object, now),
  prepareSubresource: (object, _, { now }) => withLocalCondition(object, now),
  check(object) {
    const spec = object.child('spec')
    const { group = '', version = '', service } = spec.value
    const name = `${version}.${group}`
    if ((object.value.metadata?.name ?? '') !== name) {
      const why = `must be \`spec.version+"."+spec.group\`: ${quoted(name)}`
      object.invalid('metadata.name', why, object.value.metadata?.name ?? '')
    }
    if (group !== '') spec.invalidAll('group', dnsSubdomainProblems(group))
    else if (version !== 'v1')
      spec.required('group', 'only v1 may have an empty group and it better be legacy kube')
    spec.invalidAll('version', dns1035LabelProblems(version), version)
    if (service === undefined) checkLocal(spec)
    else checkRemote(spec)
  },
  checkStatus(object) {
    object.child('status').each('conditions', (condition) => {
      const { status = '' } = condition.value as { status?: string }
      if (!states.includes(status)) condition.unsupported('status', states, status)
    })
  },
}

const states = ['True', 'False', 'Unknown']

/**
 * Whatever a client wrote to the status of an object without a service, this condition is set again; its time of transition follows the
 * rule of conditions.
 */
function withLocalCondition(object: LooseObject<APIService>, now: number): LooseObject<APIService> {
  if (object.spec?.service) return object
  const message = 'Local APIServices are always available'
  const available = { type: 'Available', status: 'True', reason: 'Local', message }
  return change(object, { status: withCondition(object.status ?? {}, available, timestamp(now)) })
}

/** Trust is about the connection to another server; without a service there is none. */
function checkLocal(spec: Field<APIServiceSpec>): void {
  const { caBundle = '', insecureSkipTLSVerify } = spec.value
  if (caBundle !== '') {
    const bytes = `${Buffer.from(caBundle, 'base64').length} bytes`
    spec.invalid('caBundle', 'local APIServices may not have a caBundle', bytes)
  }
  if (insecureSkipTLSVerify) {
    spec.invalid('insecureSkipTLSVerify', 'local APIServices may not have insecureSkipTLSVerify')
  }
}

function checkRemote(spec: Field<APIServiceSpec>): void {
  const { service, caBundle = '', insecureSkipTLSVerify } = spec.value
  if (!service?.namespace) spec.required('service.namespace')
  if (!service?.name) spec.required('service.name')
  if (insecureSkipTLSVerify && caBundle !== '') {
    spec.invalid('insecureSkipTLSVerify', 'may not be true if caBundle is present')
  }
}
