import { type AnyKind, resourceName } from '../../kernel/descriptors/kind.ts'

const needed = ['delete', 'list', 'watch'] as const

/** The kinds whose objects can have owners and be deleted, each in the version that the server prefers, but for events and `ignored` resources. */
export function followedKinds(
  served: readonly AnyKind[],
  ignored: readonly { readonly Group: string; readonly Resource: string }[],
): ReadonlyMap<string, AnyKind> {
  const left = new Set(
    ignored.map(({ Group, Resource }) => resourceName({ group: Group, plural: Resource })),
  )
  const followed = new Map<string, AnyKind>()
  for (const kind of served) {
    const name = resourceName(kind)
    if (followed.has(name) || left.has(name) || isEvent(kind)) continue
    if (needed.every((verb) => kind.verbs.includes(verb))) followed.set(name, kind)
  }
  return followed
}

function isEvent({ group, plural }: AnyKind): boolean {
  return plural === 'events' && (group === '' || group.startsWith('events.'))
}
