/** Names of services, their ports and their endpoints: what stands before `.svc` and the domain. */
import type { Answer } from 'dns-packet'
import type { Service } from '../../../generated/apis/core/v1/service.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { familyOf } from '../../kernel/values/ip-ranges.ts'
import type { Question, ZoneAnswer } from '../contract/answer.ts'
import type { ClusterNames } from '../contract/cluster-names.ts'
import { type NamedEndpoint, namedEndpoints } from './endpoint-names.ts'

/** What answers are made with. */
export interface ZoneFacts {
  /** Without a dot at its end, in lower case. */
  readonly zone: string
  /** Seconds that answers may be kept. */
  readonly ttl: number
}

/** Where no such name is. */
export const missing: ZoneAnswer = { exists: false, answers: [], additionals: [] }
/** Where the name is there, without records of the type. */
export const empty: ZoneAnswer = { exists: true, answers: [], additionals: [] }

/** The answer; `labels` are those before `.svc`, the most particular one first. */
export function serviceAnswer(
  labels: readonly string[],
  question: Question,
  names: ClusterNames,
  facts: ZoneFacts,
): ZoneAnswer {
  const [namespace = '', name, ...more] = [...labels].reverse()
  if (name === undefined) return namespace === '' || names.hasNamespace(namespace) ? empty : missing
  const service = names.service(namespace, name)
  if (service === undefined) return missing
  if (service.spec?.type === 'ExternalName') {
    return more.length === 0 ? aliasAnswer(service, question, facts) : missing
  }
  const endpoints = isHeadless(service) ? namedEndpoints(names.slicesOf(namespace, name)) : []
  const about = { question, facts, service, endpoints }
  const [first, second, third] = more
  if (first === undefined) return addressAnswer(about)
  if (/^_(tcp|udp|sctp)$/.test(first)) {
    if (second === undefined) return empty
    return third === undefined && second.startsWith('_')
      ? portAnswer(about, first, second)
      : missing
  }
  const own = endpoints.filter(({ label }) => label === first)
  if (second !== undefined || own.length === 0) return missing
  return answered(addressRecords(question.name, own, question.type, facts))
}

interface About {
  readonly question: Question
  readonly facts: ZoneFacts
  readonly service: Stored<Service>
  readonly endpoints: readonly NamedEndpoint[]
}

function isHeadless({ spec }: Stored<Service>): boolean {
  return spec?.clusterIP === 'None'
}

function addressesOf({ spec }: Stored<Service>): readonly { address: string; family: 4 | 6 }[] {
  const all = spec?.clusterIPs ?? (spec?.clusterIP ? [spec.clusterIP] : [])
  return all.flatMap((address) => {
    const family = familyOf(address)
    return family === undefined ? [] : [{ address, family }]
  })
}

/** A service without an address is not there while it has no endpoint. */
function addressAnswer({ question, facts, service, endpoints }: About): ZoneAnswer {
  if (isHeadless(service) && endpoints.length === 0) return missing
  const places = isHeadless(service) ? endpoints : addressesOf(service)
  if (question.type === 'SRV') return answered(allPorts({ question, facts, service, endpoints }))
  return answered(addressRecords(question.name, places, question.type, facts))
}

function aliasAnswer({ spec }: Stored<Service>, question: Question, facts: ZoneFacts): ZoneAnswer {
  const target = (spec?.externalName ?? '').replace(/\.$/, '')
  const family = familyOf(target)
  if (family !== undefined) {
    return answered(
      addressRecords(question.name, [{ address: target, family }], question.type, facts),
    )
  }
  if (target === '') return empty
  const { name } = question
  return {
    exists: true,
    answers: [{ type: 'CNAME', name, ttl: facts.ttl, class: 'IN', data: target }],
    additionals: [],
    ...(question.type !== 'CNAME' && { outside: target }),
  }
}

function portAnswer(about: About, protocolLabel: string, portLabel: string): ZoneAnswer {
  const { question, facts, service, endpoints } = about
  const protocol = protocolLabel.slice(1).toUpperCase()
  const wanted = portLabel.slice(1)
  const answers = portsOf(about).filter(
    (one) => one.protocol === protocol && one.name.toLowerCase() === wanted,
  )
  if (answers.length === 0) return missing
  if (question.type !== 'SRV' && question.type !== 'ANY') return empty
  const places = isHeadless(service) ? endpoints : undefined
  return withAddresses(
    answers.map((one) => srvRecord(question.name, one, facts)),
    places ?? addressesOf(service),
    about,
  )
}

interface PlacedPort {
  readonly name: string
  readonly protocol: string
  readonly port: number
  readonly target: string
}

/** The ports of a service, and where they are: at its own name, or at that of each endpoint. */
function portsOf({ service, endpoints, facts }: About): readonly PlacedPort[] {
  const { name, namespace } = service.metadata
  const target = `${name}.${namespace}.svc.${facts.zone}`
  if (!isHeadless(service)) {
    return (service.spec?.ports ?? []).map(({ name: portName = '', protocol = 'TCP', port }) => ({
      ...{ name: portName, protocol, port, target },
    }))
  }
  return endpoints.flatMap(({ label, ports }) =>
    ports.flatMap(({ name: portName = '', protocol = 'TCP', port }) =>
      port === undefined ? [] : [{ name: portName, protocol, port, target: `${label}.${target}` }],
    ),
  )
}

function allPorts(about: About): readonly Answer[] {
  return portsOf(about).map((one) => srvRecord(about.question.name, one, about.facts))
}

function srvRecord(name: string, { port, target }: PlacedPort, { ttl }: ZoneFacts): Answer {
  return { type: 'SRV', name, ttl, class: 'IN', data: { priority: 0, weight: 100, port, target } }
}

function withAddresses(
  answers: readonly Answer[],
  places: readonly { readonly address: string; readonly family: 4 | 6; readonly label?: string }[],
  { service, facts }: About,
): ZoneAnswer {
  const base = `${service.metadata.name}.${service.metadata.namespace}.svc.${facts.zone}`
  const additionals = places.flatMap((one) => {
    const name = one.label === undefined ? base : `${one.label}.${base}`
    return addressRecords(name, [one], 'ANY', facts)
  })
  return { exists: true, answers, additionals }
}

function answered(answers: readonly Answer[]): ZoneAnswer {
  return { exists: true, answers, additionals: [] }
}

/** Records of the addresses of one type, or of both. */
function addressRecords(
  name: string,
  places: readonly { readonly address: string; readonly family: 4 | 6 }[],
  type: string,
  { ttl }: ZoneFacts,
): readonly Answer[] {
  const wanted = places.filter(
    ({ family }) => type === 'ANY' || type === (family === 4 ? 'A' : 'AAAA'),
  )
  return wanted.map(({ address, family }) => ({
    type: family === 4 ? ('A' as const) : ('AAAA' as const),
    ...{ name, ttl, class: 'IN' as const, data: address },
  }))
}
