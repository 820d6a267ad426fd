import { isIP } from 'node:net'

/** True for a value of the header `Host` by which clients may reach a server. */
export type HostMatcher = (host: string | undefined) => boolean

/**
 * The names of a server beside `localhost` and names below it, names without a dot, which are not for sale, and any IP address. What
 * a browser sends to another name was meant for that name: its owner can let it lead here, and the owner's pages would then be of
 * one origin with the server. A name that begins with a dot stands for those below it. A request without the header comes from no
 * browser.
 */
export function hostMatcher(names: readonly string[]): HostMatcher {
  const known = new Set(names.map((name) => name.toLowerCase()))
  const suffixes = ['.localhost', ...[...known].filter((name) => name.startsWith('.'))]
  let last: string | undefined
  return (host) => {
    if (host === undefined || host === last) return true
    const name = nameOf(host)
    const matches =
      name !== undefined &&
      (!name.includes('.') ||
        isIP(name) !== 0 ||
        known.has(name) ||
        suffixes.some((suffix) => name.endsWith(suffix)))
    if (matches) last = host
    return matches
  }
}

/** The name or address of a host, without port, brackets and the dot of the root; undefined for what is no host. */
function nameOf(host: string): string | undefined {
  const { name, address } =
    /^(?:(?<name>[^:[\]]+?)\.?|\[(?<address>[^[\]]*)\])(?::\d*)?$/.exec(host)?.groups ?? {}
  return name?.toLowerCase() ?? address
}
