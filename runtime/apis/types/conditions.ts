import type { Condition } from '../../../generated/apis/meta/v1/common.ts'
import { dnsSubdomainProblems, qualifiedNameProblems } from '../../kernel/meta/names.ts'
import { familyOf } from '../../kernel/values/ip-ranges.ts'
import type { Check } from '../../kernel/walker/field.ts'

const reasonRule =
  'a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric ' +
  "characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or " +
  "'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is " +
  "'[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')"
const longestReason = 1024
const longestMessage = 32_768

/** The conditions of a status, each of a type of its own, with a status, a time and a reason. */
export const conditions: Check<readonly Condition[]> = (list) => {
  const types = new Set<string>()
  for (const [index, one] of (list.value ?? []).entries()) {
    const { type = '', status = '', observedGeneration = 0, lastTransitionTime } = one
    const { reason = '', message = '' } = one
    const at = (key: string) => `[${index}].${key}` as const
    list.invalidAll(at('type'), qualifiedNameProblems(type), type)
    if (types.has(type)) list.duplicate(at('type'), type)
    types.add(type)
    if (!['False', 'True', 'Unknown'].includes(status)) {
      list.unsupported(at('status'), ['False', 'True', 'Unknown'], status)
    }
    if (observedGeneration < 0) {
      const why = 'must be greater than or equal to zero'
      list.invalid(at('observedGeneration'), why, observedGeneration)
    }
    if (!lastTransitionTime) list.required(at('lastTransitionTime'), 'must be set')
    if (reason === '') list.required(at('reason'), 'must be set')
    else if (!isReason(reason)) list.invalid(at('reason'), reasonRule, reason)
    if (reason.length > longestReason) list.tooLong(at('reason'), longestReason)
    if (message.length > longestMessage) list.tooLong(at('message'), longestMessage)
  }
}

/** Linear in the text: the end is looked at by itself. */
function isReason(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_,:]*$/.test(text) && !/[,:]$/.test(text)
}

/** Where a load balancer takes traffic: an address, or a name that is none. */
export const loadBalancerIngress: Check<{ readonly ip?: string; readonly hostname?: string }> = (
  ingress,
) => {
  const { ip = '', hostname = '' } = ingress.value
  if (ip !== '' && familyOf(ip) === undefined) ingress.invalid('ip', 'must be a valid IP address')
  ingress.checkText('hostname', dnsSubdomainProblems)
  if (familyOf(hostname) !== undefined) {
    ingress.invalid('hostname', 'must be a DNS name, not an IP address')
  }
}
