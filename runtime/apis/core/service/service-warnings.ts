/** Warnings about services: addresses in unusual forms, and fields that the type passes over. */
import type { Service } from '../../../../generated/apis/core/v1/service.ts'
import { canonicalAddress } from '../../../kernel/values/ip-ranges.ts'
import { quoted } from '../../../kernel/values/quoted.ts'
import type { LooseObject } from '../../../kernel/walker/loose.ts'
import { firstOf, type Texts } from '../../strategy/warned-field.ts'
import { addressTextProblem } from './address-texts.ts'

/** What is wrong with a service without being refused. */
export function serviceWarnings(service: LooseObject<Service>, domain: string): readonly string[] {
  return firstOf(allTexts(service, domain))
}

function* allTexts({ metadata, spec = {} }: LooseObject<Service>, domain: string): Texts {
  const hints = `service.${domain}/topology-aware-hints`
  if (metadata?.annotations?.[hints] !== undefined) {
    yield `annotation ${hints} is deprecated, please use service.${domain}/topology-mode instead`
  }
  const { clusterIP = '', type, externalName } = spec
  const [clusterIPs, externalIPs] = [spec.clusterIPs ?? [], spec.externalIPs ?? []]
  if (clusterIP !== '' && clusterIP !== 'None') {
    for (const [at, one] of clusterIPs.entries()) yield* address(`spec.clusterIPs[${at}]`, one)
  }
  for (const [at, one] of externalIPs.entries()) yield* address(`spec.externalIPs[${at}]`, one)
  if (spec.loadBalancerIP) yield* address('spec.loadBalancerIP', spec.loadBalancerIP)
  for (const [at, range] of (spec.loadBalancerSourceRanges ?? []).entries()) {
    yield* prefix(`spec.loadBalancerSourceRanges[${at}]`, range)
  }
  if (type === 'ExternalName' && externalIPs.length > 0) {
    yield 'spec.externalIPs is ignored when spec.type is "ExternalName"'
  }
  if (type !== 'ExternalName' && externalName) {
    yield 'spec.externalName is ignored when spec.type is not "ExternalName"'
  }
}

const loops = 'which may cause controller apply-loops'

/** Addresses of IPv4 with zeros before a number, which some programs take for octal ones, and long forms of IPv6. */
function* address(path: string, text: string): Texts {
  const problem = addressTextProblem(text)
  if (problem !== undefined) yield `${path}: IP address was ${accepted}: ${problem}`
  const canonical = textForm(text)
  if (!text.includes(':') || canonical === undefined || canonical === text) return
  const [given, form] = [quoted(text), quoted(canonical)]
  yield `${path}: IPv6 address ${given} is not in RFC 5952 canonical format (${form}), ${loops}`
}

function* prefix(path: string, text: string): Texts {
  const [start = '', bits = ''] = text.split('/')
  const problem = addressTextProblem(start)
  if (problem !== undefined) {
    const told = `netip.ParsePrefix(${quoted(text)}): ${problem}`
    yield `${path}: IP prefix was ${accepted}: ${told}`
  }
  const canonical = `${textForm(start)}/${bits}`
  if (!start.includes(':') || canonical === text) return
  const [given, form] = [quoted(text), quoted(canonical)]
  yield `${path}: IPv6 prefix ${given} is not in RFC 5952 canonical format (${form}), ${loops}`
}

/** The form of RFC 5952, in which the end of an address that stands for one of IPv4 is written like one. */
function textForm(text: string): string | undefined {
  const canonical = canonicalAddress(text)
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical ?? '') ?? []
  if (high === undefined || low === undefined) return canonical
  const parts = [high, low].flatMap((part) => [...Buffer.from(part.padStart(4, '0'), 'hex')])
  return `::ffff:${parts.join('.')}`
}

const accepted = 'accepted, but will be invalid in a future Kubernetes release'
