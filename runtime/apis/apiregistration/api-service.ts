/** The rules of APIService (supplement B-01, B-02). */

import { timestamp } from '../../kernel/async/clock.ts'
import { dns1035LabelProblems, dnsSubdomainProblems } from '../../kernel/meta/names.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { change } from '../strategy/change.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { forbidden, invalid, invalidAll, required } from '../types/field-errors.ts'
import type { Condition, List } from '../types/shapes.ts'
import { withCondition } from '../types/status-conditions.ts'

interface Spec {
  readonly service?: { readonly namespace?: string; readonly name?: string }
  readonly group?: string
  readonly version?: string
  readonly insecureSkipTLSVerify?: boolean
  readonly caBundle?: string
}

interface ApiVersion extends ApiObject {
  readonly spec?: Spec
  readonly status?: { readonly conditions?: List<Condition> }
}

type FieldErrors = readonly FieldError[]

/**
 * An object is named after its group version, which this server answers for itself: so far no version is handed over to
 * another one, and an object that asks for it is refused. What the server answers for is always available.
 */
export const apiService: Strategy = {
  prepareCreate: (object, { now }) =>
    withAvailableCondition({ ...object, status: {} } as ApiVersion, now),
  prepareSubresource: (object, _, { now }) => withAvailableCondition(object as ApiVersion, now),
  validate(object) {
    const { metadata, spec = {} } = object as ApiVersion
    const { group = '', version = '' } = spec
    return [
      ...checkName(metadata.name ?? '', `${version}.${group}`),
      ...checkGroup(group, version),
      ...invalidAll('spec.version', version, dns1035LabelProblems(version)),
      ...(spec.service === undefined ? checkLocal(spec) : checkRemote(spec, spec.service)),
    ]
  },
}

function withAvailableCondition(object: ApiVersion, now: number): ApiVersion {
  const status = withCondition(
    object.status ?? {},
    {
      type: 'Available',
      status: 'True',
      reason: 'Local',
      message: 'Local APIServices are always available',
    },
    timestamp(now),
  )
  return change(object, { status })
}

function checkName(name: string, wanted: string): FieldErrors {
  if (name === wanted) return []
  const why = `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`
  return [invalid('metadata.name', name, why)]
}

function checkGroup(group: string, version: string): FieldErrors {
  if (group !== '') return invalidAll('spec.group', group, dnsSubdomainProblems(group))
  return version === 'v1' ? [] : [required('spec.group', 'only v1 is a version without a group')]
}

function checkLocal({ caBundle = '', insecureSkipTLSVerify }: Spec): FieldErrors {
  const why = 'has no meaning without a service'
  return [
    ...(caBundle === '' ? [] : [forbidden('spec.caBundle', why)]),
    ...(insecureSkipTLSVerify ? [forbidden('spec.insecureSkipTLSVerify', why)] : []),
  ]
}

function checkRemote(
  { caBundle = '', insecureSkipTLSVerify }: Spec,
  { namespace = '', name = '' }: NonNullable<Spec['service']>,
): FieldErrors {
  const both = insecureSkipTLSVerify && caBundle !== ''
  return [
    forbidden('spec.service', 'this server does not hand group versions over to other servers'),
    ...(namespace === '' ? [required('spec.service.namespace')] : []),
    ...(name === '' ? [required('spec.service.name')] : []),
    ...(both
      ? [invalid('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present')]
      : []),
  ]
}
