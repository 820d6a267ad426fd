import type { Answer } from 'dns-packet'
import { canonicalAddress } from '../../kernel/values/ip-ranges.ts'
import type { Question, ZoneAnswer } from '../contract/answer.ts'
import type { ClusterNames } from '../contract/cluster-names.ts'
import { namesAt, reverseAddress } from './reverse-names.ts'
import { empty, missing, serviceAnswer, type ZoneFacts } from './service-answer.ts'

const specificationVersion = '1.1.0'

/** What the cluster answers; undefined for what it knows nothing of, and others are to be asked. */
export function zoneAnswer(
  question: Question,
  names: ClusterNames,
  facts: ZoneFacts,
): ZoneAnswer | undefined {
  const name = question.name.toLowerCase().replace(/\.$/, '')
  const address = reverseAddress(name)
  if (address !== undefined) return reverseAnswer(question, namesAt(address, names), facts)
  if (name === facts.zone) return apexAnswer(question, facts)
  if (!name.endsWith(`.${facts.zone}`)) return undefined
  const labels = name.slice(0, -facts.zone.length - 1).split('.')
  const [last] = labels.slice(-1)
  const rest = labels.slice(0, -1)
  switch (last) {
    case 'svc':
      return serviceAnswer(rest, question, names, facts)
    case 'pod':
      return podAnswer(rest, question, names, facts)
    case 'dns-version':
      return rest.length === 0 ? versionAnswer(question, facts) : missing
    default:
      return missing
  }
}

/** The authority of the domain, which stands beside answers that have no record. */
export function authorityOf({ zone, ttl }: ZoneFacts, serial: number): Answer {
  return {
    ...{ type: 'SOA', name: zone, ttl, class: 'IN' },
    data: {
      ...{ mname: `ns.dns.${zone}`, rname: `hostmaster.${zone}`, serial },
      ...{ refresh: 7200, retry: 1800, expire: 86_400, minimum: ttl },
    },
  }
}

function reverseAnswer(
  { name, type }: Question,
  found: readonly string[],
  { zone, ttl }: ZoneFacts,
): ZoneAnswer | undefined {
  if (found.length === 0) return undefined
  if (type !== 'PTR' && type !== 'ANY') return empty
  const answers = found.map((one) => ({
    ...{ type: 'PTR' as const, name, ttl, class: 'IN' as const, data: `${one}.${zone}` },
  }))
  return { exists: true, answers, additionals: [] }
}

function apexAnswer({ name, type }: Question, facts: ZoneFacts): ZoneAnswer {
  const { zone, ttl } = facts
  if (type === 'NS') {
    const answer = { type: 'NS' as const, name, ttl, class: 'IN' as const, data: `ns.dns.${zone}` }
    return { exists: true, answers: [answer], additionals: [] }
  }
  return type === 'SOA'
    ? { exists: true, answers: [authorityOf(facts, 1)], additionals: [] }
    : empty
}

/** A pod is named by its address: `10-1-2-3.NAMESPACE.pod`. */
function podAnswer(
  labels: readonly string[],
  { name, type }: Question,
  names: ClusterNames,
  { ttl }: ZoneFacts,
): ZoneAnswer {
  const [namespace, label, ...more] = [...labels].reverse()
  if (namespace === undefined) return empty
  if (more.length > 0 || !names.hasNamespace(namespace)) return missing
  if (label === undefined) return empty
  const four = canonicalAddress(label.replaceAll('-', '.'))
  const address = four ?? canonicalAddress(label.replaceAll('-', ':'))
  if (address === undefined) return missing
  const own = four === undefined ? 'AAAA' : 'A'
  if (type !== own && type !== 'ANY') return empty
  const answer = { type: own, name, ttl, class: 'IN', data: address } as const
  return { exists: true, answers: [answer], additionals: [] }
}

function versionAnswer({ name, type }: Question, { ttl }: ZoneFacts): ZoneAnswer {
  if (type !== 'TXT' && type !== 'ANY') return empty
  const answer = { type: 'TXT', name, ttl, class: 'IN', data: specificationVersion } as const
  return { exists: true, answers: [answer], additionals: [] }
}
