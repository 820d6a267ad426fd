import type { Node } from '../../../../generated/apis/core/v1/node.ts'
import type { Platform } from '../../../kernel/descriptors/platform.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import { quoted } from '../../../kernel/values/quoted.ts'
import type { NodeCheck } from './node-check.ts'

type Labels = Readonly<Record<string, string>>

/** A node changes itself alone, neither its taints nor labels that say where workloads may go. */
export const nodeProblem: NodeCheck = (node, attributes, { scheme }) => {
  const { operation, name = '', object, oldObject } = attributes
  const own = object as Node | undefined
  const old = oldObject as Node | undefined
  const requested = name || (own?.metadata.name ?? '')
  if (requested !== node) {
    return `node ${quoted(node)} is not allowed to modify node ${quoted(requested)}`
  }
  if (operation === 'CREATE') {
    if (own?.spec?.configSource !== undefined) {
      return `node ${quoted(node)} is not allowed to create pods with a non-nil configSource`
    }
    const labels = refusedLabels(own?.metadata.labels, {}, scheme.platform)
    if (labels.length === 0) return undefined
    return `node ${quoted(node)} is not allowed to set the following labels: ${labels.join(', ')}`
  }
  if (operation !== 'UPDATE') return undefined
  const { configSource } = own?.spec ?? {}
  if (configSource !== undefined && !deepEqual(configSource, old?.spec?.configSource)) {
    return `node ${quoted(node)} is not allowed to update configSource to a new non-nil configSource`
  }
  if (!deepEqual(own?.spec?.taints ?? [], old?.spec?.taints ?? [])) {
    return `node ${quoted(node)} is not allowed to modify taints`
  }
  const labels = refusedLabels(own?.metadata.labels, old?.metadata.labels, scheme.platform)
  return labels.length === 0 ? undefined : `is not allowed to modify labels: ${labels.join(', ')}`
}

/** The labels that were changed and are not a node's to change, in order. */
function refusedLabels(
  labels: Labels = {},
  old: Labels = {},
  platform: Platform,
): readonly string[] {
  const keys = new Set([...Object.keys(labels), ...Object.keys(old)])
  const changed = [...keys].filter((key) => labels[key] !== old[key])
  return changed.filter((key) => isRefused(key, platform)).sort()
}

function isRefused(label: string, { domain, api, agent }: Platform): boolean {
  const slash = label.indexOf('/')
  const place = slash < 0 ? '' : label.slice(0, slash)
  const isIn = (suffix: string) => place === suffix || place.endsWith(`.${suffix}`)
  if (isIn(`node-restriction.${domain}`)) return true
  if (!isIn(domain) && !isIn(api)) return false
  return (
    !isIn(`${agent}.${domain}`) && !isIn(`node.${domain}`) && !ownLabels(domain).includes(label)
  )
}

/** The labels of the platform that nodes set themselves. */
function ownLabels(domain: string): readonly string[] {
  const names = ['hostname', 'os', 'arch'].map((name) => `${domain}/${name}`)
  const topology = ['zone', 'region'].flatMap((name) => [
    `topology.${domain}/${name}`,
    `failure-domain.beta.${domain}/${name}`,
  ])
  const beta = ['instance-type', 'os', 'arch'].map((name) => `beta.${domain}/${name}`)
  return [...names, ...topology, ...beta, `node.${domain}/instance-type`]
}
