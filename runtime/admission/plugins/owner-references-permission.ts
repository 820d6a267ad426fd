import type { AuthorizationAttributes, AuthorizationResult } from '../../auth/auth.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import { type ApiObject, apiVersionOf, type OwnerReferenceLike } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { quoted } from '../../kernel/values/quoted.ts'
import { type Attributes, isResource, isWrite } from '../chain/attributes.ts'
import { forbidden } from '../chain/errors.ts'
import type { PluginFactory } from '../chain/plugin.ts'
import type { PluginContext } from '../chain/plugin-context.ts'

/**
 * OwnerReferencesPermissionEnforcement protects owners and owned objects (supplement Q-25): who changes the owners of an object must
 * be allowed to delete it, and who makes it block the deletion of its owner must be allowed to update the owner's finalizers.
 * The status of pods is left out: it cannot change owners.
 */
export const ownerReferencesPermission: PluginFactory = (context) => ({
  handles: (request) =>
    isWrite(request) && !(isResource(request, '', 'pods') && request.subresource === 'status'),
  async validate(attributes) {
    const { object, oldObject, operation } = attributes
    const owners = ownersOf(object)
    const old = ownersOf(oldObject)
    if (deepEqual(owners, old)) return
    if (operation !== 'CREATE') await mustMayDelete(attributes, context)
    const blocking = newlyBlocking(owners, old)
    if (blocking.length === 0 || (await mayFinalizeAll(attributes, context))) return
    for (const owner of blocking) await mustMayFinalize(owner, attributes, context)
  },
})

function ownersOf(object: ApiObject | undefined): readonly OwnerReferenceLike[] {
  return object?.metadata.ownerReferences ?? []
}

/** The owners that are blocked now and were not before. */
function newlyBlocking(
  owners: readonly OwnerReferenceLike[],
  old: readonly OwnerReferenceLike[],
): readonly OwnerReferenceLike[] {
  const blocked = new Set(old.filter((one) => one.blockOwnerDeletion).map(({ uid }) => uid))
  return owners.filter(({ uid, blockOwnerDeletion }) => blockOwnerDeletion && !blocked.has(uid))
}

type Asked = Omit<AuthorizationAttributes, 'user'>

/** What the authorizer says; a failure is told like a reason. */
async function ask(
  { user }: Attributes,
  { authorizer }: PluginContext,
  asked: Asked,
): Promise<AuthorizationResult> {
  try {
    return await authorizer.authorize({ user, ...asked })
  } catch (error) {
    return { decision: 'NoOpinion', error }
  }
}

function why({ reason = '', error }: AuthorizationResult): string {
  return `${reason}, ${error === undefined ? '<nil>' : errorText(error)}`
}

async function mustMayDelete(attributes: Attributes, context: PluginContext): Promise<void> {
  const { resource: kind, subresource, namespace, name = '' } = attributes
  const result = await ask(attributes, context, {
    ...{ verb: 'delete', group: kind.group, version: kind.version, resource: kind.plural, name },
    ...(subresource && { subresource }),
    ...(namespace && { namespace }),
  })
  if (result.decision === 'Allow') return
  throw forbidden(
    attributes,
    `cannot set an ownerRef on a resource you can't delete: ${why(result)}`,
  )
}

async function mayFinalizeAll(attributes: Attributes, context: PluginContext): Promise<boolean> {
  const all = { group: '*', version: '*', resource: '*', subresource: 'finalizers', name: '*' }
  return (await ask(attributes, context, { verb: 'update', ...all })).decision === 'Allow'
}

async function mustMayFinalize(
  owner: OwnerReferenceLike,
  attributes: Attributes,
  context: PluginContext,
): Promise<void> {
  const kinds = kindsOf(owner, context)
  if (kinds.length === 0) {
    const [group, version] = owner.apiVersion.includes('/')
      ? owner.apiVersion.split('/')
      : ['', owner.apiVersion]
    const missing = `no matches for kind ${quoted(owner.kind)} in version ${quoted(group === '' ? String(version) : `${group}/${version}`)}`
    throw forbidden(
      attributes,
      `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${owner.apiVersion} Kind ${owner.kind}: ${missing}`,
    )
  }
  for (const kind of kinds) {
    const { namespace } = attributes
    const result = await ask(attributes, context, {
      ...{ verb: 'update', group: kind.group, version: kind.version, resource: kind.plural },
      ...{ subresource: 'finalizers', name: owner.name },
      ...(kind.scope === 'Namespaced' && namespace && { namespace }),
    })
    if (result.decision === 'Allow') continue
    throw forbidden(
      attributes,
      `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${why(result)}`,
    )
  }
}

/** The kinds that are served under the version and name of an owner. */
function kindsOf(
  { apiVersion, kind }: OwnerReferenceLike,
  { scheme }: PluginContext,
): readonly AnyKind[] {
  return Object.values(scheme.routes).filter(
    (one) => one.kind === kind && apiVersionOf(one) === apiVersion,
  )
}
