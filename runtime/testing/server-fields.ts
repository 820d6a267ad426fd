/** What of an object the server decides, and a test cannot know. */

/** What the metadata of an object has from the server alone. */
const serverMetadata: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'managedFields',
  'selfLink',
])

/** What stands where a time was. */
const someTime = '<time>'

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

/**
 * A copy of an object, a list, or an array of them without what servers fill in: uid, resourceVersion, generation, managedFields and
 * creation time are gone, so are the uids of owners; times in the status, and of the deletion, are `<time>`; and a name that was
 * generated is its beginning and `<generated>`. What else there is stays as it is.
 */
export function withoutServerFields<T>(value: T): T {
  return strip(value) as T
}

function strip(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strip)
  if (!isRecord(value)) return value
  const { metadata, items } = value
  if (Array.isArray(items)) {
    return { ...value, items: items.map(strip), metadata: stripMetadata(metadata) }
  }
  if (!isRecord(metadata)) return value
  const fields = Object.entries(value).map(([name, field]) => {
    if (name === 'metadata') return [name, stripMetadata(metadata)] as const
    return [name, name === 'status' ? withoutTimes(field) : field] as const
  })
  return Object.fromEntries(fields)
}

function stripMetadata(metadata: unknown): unknown {
  if (!isRecord(metadata)) return metadata
  const fields = Object.entries(metadata).filter(([name]) => !serverMetadata.has(name))
  return Object.fromEntries(
    fields.map(([name, value]) => [name, stripMetadataField(name, value, metadata)] as const),
  )
}

function stripMetadataField(
  field: string,
  value: unknown,
  { generateName }: Readonly<Record<string, unknown>>,
): unknown {
  if (field === 'deletionTimestamp') return someTime
  if (field === 'name' && typeof generateName === 'string' && generateName !== '') {
    return `${generateName}<generated>`
  }
  if (field !== 'ownerReferences' || !Array.isArray(value)) return value
  return value.map((owner) => {
    if (!isRecord(owner)) return owner
    const { uid: _, ...rest } = owner
    return rest
  })
}

function withoutTimes(value: unknown): unknown {
  if (typeof value === 'string') return time.test(value) ? someTime : value
  if (Array.isArray(value)) return value.map(withoutTimes)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, withoutTimes(field)] as const),
  )
}

/** True for what has fields by name. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
