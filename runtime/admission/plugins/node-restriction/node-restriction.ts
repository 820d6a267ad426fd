import { nodeNameOf } from '../../../auth/auth.ts'
import type { ApiObject } from '../../../kernel/meta/object.ts'
import { quoted } from '../../../kernel/values/quoted.ts'
import type { Attributes } from '../../chain/attributes.ts'
import { forbidden } from '../../chain/errors.ts'
import type { PluginFactory } from '../../chain/plugin.ts'
import type { NodeCheck } from './node-check.ts'
import { nodeProblem } from './node-labels.ts'
import { claimStatusProblem, podProblem } from './node-pods.ts'
import { tokenProblem } from './node-tokens.ts'

/**
 * NodeRestriction lets nodes change only what is theirs (supplement Q-26): their own node without its taints and foreign labels,
 * pods that run on them, their lease, their CSI node, and tokens of accounts whose pods they run.
 */
export const nodeRestriction: PluginFactory = (context) => {
  const { api } = context.scheme.platform
  const checks = new Map<string, NodeCheck>([
    ['pods.', podProblem],
    ['nodes.', nodeProblem],
    ['persistentvolumeclaims.', claimStatusProblem],
    ['serviceaccounts.', tokenProblem],
    [`leases.coordination.${api}`, leaseProblem],
    [`csinodes.storage.${api}`, csiNodeProblem],
  ])
  const checkOf = ({ resource }: Pick<Attributes, 'resource'>) =>
    checks.get(`${resource.plural}.${resource.group}`)
  return {
    handles: ({ operation }) => operation !== 'CONNECT',
    async mutate(attributes) {
      const node = nodeNameOf(attributes.user)
      if (node === undefined) return attributes.object
      if (node === '') {
        const { username } = attributes.user
        throw forbidden(attributes, `could not determine node from user ${quoted(username)}`)
      }
      const problem = await checkOf(attributes)?.(node, attributes, context)
      if (problem !== undefined) throw forbidden(attributes, problem)
      return attributes.object
    },
  }
}

function nameOf({ operation, name, object }: Attributes): string | undefined {
  return operation === 'CREATE' ? ((object as ApiObject | undefined)?.metadata.name ?? name) : name
}

const leaseProblem: NodeCheck = (node, attributes, { scheme }) => {
  const namespace = `${scheme.platform.prefix}-node-lease`
  if (attributes.namespace !== namespace) {
    return `can only access leases in the ${quoted(namespace)} system namespace`
  }
  if (nameOf(attributes) === node) return undefined
  return 'can only access node lease with the same name as the requesting node'
}

const csiNodeProblem: NodeCheck = (node, attributes) =>
  nameOf(attributes) === node
    ? undefined
    : 'can only access CSINode with the same name as the requesting node'
