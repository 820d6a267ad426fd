/** What holds for the status of a pod that is written through its own path. */
import type { ContainerStatus } from '../../../../generated/apis/core/v1/container.ts'
import type { Pod, PodStatus } from '../../../../generated/apis/core/v1/pod.ts'
import { dnsSubdomainProblems, qualifiedNameProblems } from '../../../kernel/meta/names.ts'
import { duplicate, internal } from '../../../kernel/validation/field-errors.ts'
import { addressProblems, familyOf } from '../../../kernel/values/ip-ranges.ts'
import type { Field } from '../../../kernel/walker/field.ts'
import type { Loose } from '../../../kernel/walker/loose.ts'

type Statuses = Loose<readonly ContainerStatus[]> | undefined

/**
 * Conditions have names, addresses are addresses of different families, and a container that ended for good stays ended.
 * Errors of conditions stand at the metadata, where clients of this release find them.
 */
export function checkPodStatus(pod: Field<Pod>): void {
  const status = pod.child('status')
  const { nominatedNodeName: node = '' } = status.value
  for (const [index, { type = '' }] of (status.value.conditions ?? []).entries()) {
    pod.invalidAll(`metadata.conditions[${index}].Type`, qualifiedNameProblems(type), type)
  }
  if (node !== status.old?.nominatedNodeName) {
    status.checkText('nominatedNodeName', dnsSubdomainProblems)
  }
  checkTransitions(pod)
  checkClaims(pod)
  checkAddresses(status, 'podIPs')
  checkHost(status)
}

/** A pod that is not restarted has no container that runs again. */
function checkTransitions(pod: Field<Pod>): void {
  const { restartPolicy, initContainers } = pod.value.spec ?? {}
  const status = pod.child('status')
  const sidecars = new Set(
    initContainers?.filter((each) => each.restartPolicy === 'Always').map(({ name }) => name),
  )
  if (restartPolicy !== 'Always') {
    checkEnded(status, 'containerStatuses', restartPolicy === 'OnFailure')
    checkEnded(status, 'initContainerStatuses', restartPolicy === 'OnFailure', sidecars)
  }
  checkEnded(status, 'ephemeralContainerStatuses', false)
}

function checkEnded(
  status: Field<PodStatus>,
  list: 'containerStatuses' | 'initContainerStatuses' | 'ephemeralContainerStatuses',
  restartsFailed: boolean,
  sidecars: ReadonlySet<string | undefined> = new Set(),
): void {
  const now = new Map((status.value[list] as Statuses)?.map((each) => [each.name, each]))
  for (const [index, { name, state }] of ((status.old?.[list] as Statuses) ?? []).entries()) {
    const { terminated } = state ?? {}
    if (terminated === undefined || sidecars.has(name)) continue
    if (terminated.exitCode !== 0 && restartsFailed) continue
    const after = now.get(name)
    if (after === undefined || after.state?.terminated !== undefined) continue
    const why = 'may not be transitioned to non-terminated state'
    status.forbidden(`${list}[${index}].state`, why)
  }
}

/** A claim of the status is one of the specification, once. */
function checkClaims(pod: Field<Pod>): void {
  const wanted = new Set(pod.value.spec?.resourceClaims?.map(({ name }) => name))
  const names = new Set<string>()
  pod.child('status').each('resourceClaimStatuses', (claim) => {
    const { name = '' } = claim.value
    if (!wanted.has(name)) {
      claim.invalid('name', 'must match the name of an entry in `spec.resourceClaims`', name)
    }
    claim.passOver('name')
    claim.distinct('name', names)
    const { resourceClaimName: made } = claim.value
    if (made !== undefined) claim.invalidAll('name', dnsSubdomainProblems(made), made)
  })
}

/** One address of each family at most. */
function checkAddresses(status: Field<PodStatus>, list: 'podIPs' | 'hostIPs'): void {
  const addresses = (status.value[list] ?? []).map(({ ip = '' }) => ip)
  const seen = new Set<string>()
  for (const [index, ip] of addresses.entries()) {
    status.invalidAll(`${list}[${index}]`, addressProblems(ip), ip)
    if (seen.has(ip)) {
      const error = duplicate(status.path(`${list}[${index}]`), { ip })
      // Of a pod repeated addresses are told after what is said of all of them.
      status.report(list === 'podIPs' ? { after: status.path(list), ...error } : error)
    }
    seen.add(ip)
  }
  if (addresses.length > 1) checkFamilies(status, list, addresses)
}

function checkFamilies(
  status: Field<PodStatus>,
  list: 'podIPs' | 'hostIPs',
  addresses: readonly string[],
): void {
  const families = addresses.map(familyOf)
  const unknown = families.indexOf(undefined)
  if (unknown >= 0) {
    const why = `failed to check for dual stack with error:invalid IP[${unknown}]: ${addresses[unknown]}`
    status.report(internal(status.path(list), why))
  }
  if (unknown < 0 && addresses.length === 2 && families[0] !== families[1]) return
  status.invalid(list, 'may specify no more than one IP for each IP family')
}

function checkHost(status: Field<PodStatus>): void {
  const { hostIP = '', hostIPs } = status.value
  const [first] = hostIPs ?? []
  const { ip = '' } = first ?? {}
  if (first !== undefined && ip !== hostIP) {
    status.invalid('hostIPs[0].ip', 'must be equal to `hostIP`', ip)
  }
  checkAddresses(status, 'hostIPs')
}
