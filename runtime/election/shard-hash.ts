/** A number of 32 bits that each text has, well spread also for texts that differ in one character: FNV-1a, then mixed. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** The shard of a text, of so many. */
export function shardOf(text: string, shards: number): number {
  return hashOf(text) % shards
}

/**
 * The member that a shard belongs to, by rendezvous hashing; undefined if there is none. Where a member joins only shards that become its own
 * move, and where one leaves only those that were its own: no two members that stay exchange any.
 */
export function memberOf(shard: number, members: Iterable<string>): string | undefined {
  let owner: string | undefined
  let most = -1
  for (const member of members) {
    const weight = hashOf(`${shard} ${member}`)
    if (weight < most || (weight === most && owner !== undefined && member > owner)) continue
    owner = member
    most = weight
  }
  return owner
}
