import type { PolicyRule } from '../../../../generated/apis/rbac/v1.ts'
import type { UserInfo } from '../../../kernel/auth/user-info.ts'
import { quoted } from '../../../kernel/values/quoted.ts'
import type { AuthorizationAttributes, AuthorizationResult, Authorizer } from '../authorizer.ts'
import { ruleAllows } from '../rbac/rule-match.ts'
import { type NodeGraph, type NodeObject, objectId } from './node-graph.ts'

/** What the node authorizer works with. */
export interface NodeAuthorizerOptions {
  readonly graph: NodeGraph
  /** What every node may do, whatever object it is about. */
  readonly rules: readonly PolicyRule[]
  /** The public suffix of API groups, and the namespace of the leases of nodes. */
  readonly api: string
  readonly leaseNamespace: string
}

const namePrefix = 'system:node:'
const allowed: AuthorizationResult = { decision: 'Allow' }
const noOpinion: AuthorizationResult = { decision: 'NoOpinion' }

/** The name of the node that a user is, empty if it says none; undefined for a user that is no node. */
export function nodeNameOf({ username, groups }: UserInfo): string | undefined {
  if (!username.startsWith(namePrefix) || !groups.includes('system:nodes')) return undefined
  return username.slice(namePrefix.length)
}

/**
 * Allows nodes what they need for their pods, and has no opinion about other users (supplement Z-18): objects that the node's pods
 * name, its lease, its CSI node, and of other resources what all nodes may do.
 */
export function nodeAuthorizer(options: NodeAuthorizerOptions): Authorizer {
  const judges = resourceJudges(options)
  return {
    authorize(attributes) {
      const node = nodeNameOf(attributes.user)
      if (node === undefined) return noOpinion
      if (node === '') return no(`unknown node for user ${quoted(attributes.user.username)}`)
      if (attributes.path === undefined) {
        const judge = judges.get(`${attributes.resource}.${attributes.group}`)
        if (judge !== undefined) return judge(node, attributes)
      }
      return options.rules.some((rule) => ruleAllows(rule, attributes)) ? allowed : noOpinion
    },
    rulesFor(user) {
      const nothing = { resourceRules: [], nonResourceRules: [], incomplete: false }
      if (nodeNameOf(user) === undefined) return nothing
      const evaluationErrors = ['node authorizer does not support user rule resolution']
      return { ...nothing, incomplete: true, evaluationErrors }
    },
  }
}

function no(reason: string): AuthorizationResult {
  return { decision: 'NoOpinion', reason }
}

type Judge = (node: string, attributes: AuthorizationAttributes) => AuthorizationResult

/** The resources of which a node may only have its own objects. */
function resourceJudges(options: NodeAuthorizerOptions): ReadonlyMap<string, Judge> {
  const { graph, api, leaseNamespace } = options
  const related =
    (kind: NodeObject): Judge =>
    (node, { namespace = '', name }) => {
      if (name === '') return no('No Object name found')
      const isRelated = graph.isRelated(node, objectId(kind, namespace, name))
      return isRelated
        ? allowed
        : no(`no relationship found between node '${node}' and this object`)
    }
  const claims = related('claim')
  return new Map<string, Judge>([
    ['secrets.', readNamed(related('secret'))],
    ['configmaps.', readNamed(related('configmap'))],
    [
      'persistentvolumeclaims.',
      (node, attributes) =>
        attributes.subresource === 'status'
          ? updateStatus(claims)(node, attributes)
          : getOne(claims)(node, attributes),
    ],
    ['persistentvolumes.', getOne(related('volume'))],
    [`resourceclaims.resource.${api}`, getOne(related('resource-claim'))],
    [`volumeattachments.storage.${api}`, getOne(related('attachment'))],
    ['serviceaccounts.', createToken(related('account'))],
    [`leases.coordination.${api}`, ownLease(leaseNamespace)],
    [`csinodes.storage.${api}`, ownCsiNode],
  ])
}

function readNamed(then: Judge): Judge {
  return (node, attributes) => {
    const { verb, subresource, namespace } = attributes
    if (!['get', 'list', 'watch'].includes(verb)) return no('can only read resources of this type')
    if (subresource) return no('cannot read subresource')
    if (!namespace) return no('can only read namespaced object of this type')
    return then(node, attributes)
  }
}

function getOne(then: Judge): Judge {
  return (node, attributes) => {
    const { verb, subresource } = attributes
    if (verb !== 'get') return no('can only get individual resources of this type')
    return subresource ? no('cannot get subresource') : then(node, attributes)
  }
}

function updateStatus(then: Judge): Judge {
  return (node, attributes) => {
    const writes = ['update', 'patch'].includes(attributes.verb)
    return writes ? then(node, attributes) : no('can only get/update/patch this type')
  }
}

function createToken(then: Judge): Judge {
  return (node, attributes) => {
    const { verb, name, subresource } = attributes
    if (verb !== 'create' || name === '') {
      return no('can only create tokens for individual service accounts')
    }
    if (subresource !== 'token') return no('can only create token subresource of serviceaccount')
    return then(node, attributes)
  }
}

const ownVerbs = ['get', 'create', 'update', 'patch', 'delete']

/** The name of what is created is not known here; admission looks at it. */
function ownLease(leaseNamespace: string): Judge {
  return (node, { verb, namespace, name }) => {
    if (!ownVerbs.includes(verb)) {
      return no('can only get, create, update, patch, or delete a node lease')
    }
    if (namespace !== leaseNamespace) {
      return no(`can only access leases in the ${quoted(leaseNamespace)} system namespace`)
    }
    if (verb === 'create' || name === node) return allowed
    return no('can only access node lease with the same name as the requesting node')
  }
}

const ownCsiNode: Judge = (node, { verb, subresource, name }) => {
  if (!ownVerbs.includes(verb)) {
    return no('can only get, create, update, patch, or delete a CSINode')
  }
  if (subresource) return no('cannot authorize CSINode subresources')
  if (verb === 'create' || name === node) return allowed
  return no('can only access CSINode with the same name as the requesting node')
}
