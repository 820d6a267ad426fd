import { createHash } from 'node:crypto'
import type { FlowControlFacts } from '../../kernel/descriptors/flow-control-facts.ts'
import type { FlowConfig } from './flow-control.ts'

/** The configuration of the scheme's facts, with uids made of the names: for a server whose store holds no such objects. */
export function factsConfig({ priorityLevels, flowSchemas }: FlowControlFacts): FlowConfig {
  return {
    priorityLevels: priorityLevels.map((one) => ({ ...one, uid: uidOf('level', one.name) })),
    flowSchemas: flowSchemas.map((one) => ({ ...one, uid: uidOf('schema', one.name) })),
  }
}

/**
 * A limit on the number of requests alone (`--max-requests-inflight` and its like): two levels without queues, for reading and for
 * mutating requests, and everything of the group of administrators exempt. For a scheme without flow control, or a server
 * that has it switched off.
 */
export function plainConfig(reading: number, changing: number): FlowConfig {
  const level = (name: string, shares: number) => ({
    name,
    mandatory: true,
    uid: '',
    spec: {
      type: 'Limited',
      limited: { nominalConcurrencyShares: shares, limitResponse: { type: 'Reject' } },
    },
  })
  const schema = (name: string, matchingPrecedence: number, verbs: readonly string[]) => ({
    name,
    mandatory: true,
    uid: '',
    spec: {
      matchingPrecedence,
      priorityLevelConfiguration: { name },
      rules: [
        {
          subjects: [{ kind: 'Group', group: { name: '*' } }],
          resourceRules: [{ ...everything, verbs }],
          nonResourceRules: [{ verbs, nonResourceURLs: ['*'] }],
        },
      ],
    },
  })
  const exempt = { name: 'exempt', mandatory: true, uid: '' }
  return {
    priorityLevels: [
      { ...exempt, spec: { type: 'Exempt' } },
      level('reading', reading),
      level('changing', changing),
    ],
    flowSchemas: [
      { ...exempt, spec: exemptSpec },
      schema('changing', 10, ['create', 'update', 'patch', 'delete', 'deletecollection']),
      schema('reading', 20, ['*']),
    ],
  }
}

/** Matches every resource. */
const everything = { apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }

/** Requests of administrators are never limited: they are how an overloaded server is repaired. */
const exemptSpec = {
  matchingPrecedence: 1,
  priorityLevelConfiguration: { name: 'exempt' },
  rules: [
    {
      subjects: [{ kind: 'Group', group: { name: 'system:masters' } }],
      resourceRules: [{ ...everything, verbs: ['*'] }],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
    },
  ],
}

/** A uid of version 5 that is the same at every start, since clients compare what headers say over a restart. */
function uidOf(kind: string, name: string): string {
  const hex = createHash('sha256').update(`${kind}/${name}`).digest('hex')
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
