/** Which registries credentials are for. */

/** An image reference in its parts. */
export interface ImageName {
  /** Host and port. */
  readonly registry: string
  readonly path: string
}

const usualRegistry = 'docker.io'
/** Names by which the usual registry is known in files of credentials. */
const usualNames = ['index.docker.io', 'registry-1.docker.io', 'docker.io']

/** The registry and path of a reference; undefined for what is none. */
export function imageNameOf(reference: string): ImageName | undefined {
  const form =
    /^(?:(?<host>(?:[A-Za-z0-9.-]+\.[A-Za-z0-9.-]+(?::\d{1,5})?)|localhost(?::\d{1,5})?|[A-Za-z0-9.-]+:\d{1,5}|\[[0-9a-fA-F:]+\](?::\d{1,5})?)\/)?(?<path>[a-z0-9]+(?:[._/-]+[a-z0-9]+)*)(?::[\w][\w.-]{0,127})?(?:@[a-z0-9]+(?:[.+_-][a-z0-9]+)*:[0-9a-fA-F]{32,})?$/
  if (reference.length > 512) return undefined
  const found = form.exec(reference)?.groups
  if (found?.path === undefined) return undefined
  const registry = found.host ?? usualRegistry
  const isShort = registry === usualRegistry && !found.path.includes('/')
  return { registry, path: isShort ? `library/${found.path}` : found.path }
}

/** True for a pattern such as `*.example.com:443/team`, whose stars stand for a part of a host name, that has this image. */
export function matchesRegistry(pattern: string, { registry, path }: ImageName): boolean {
  const plain = pattern.replace(/^https?:\/\//, '').replace(/\/v[12]\/?$|\/$/, '')
  const slash = plain.indexOf('/')
  const [place, under] = slash < 0 ? [plain, ''] : [plain.slice(0, slash), plain.slice(slash + 1)]
  if (!`${path}/`.startsWith(under === '' ? '' : `${under}/`)) return false
  if (registry === usualRegistry && usualNames.includes(place)) return true
  const [host = '', port = ''] = place.split(':')
  const [own = '', ownPort = ''] = registry.split(':')
  if (port !== ownPort) return false
  const [parts, ownParts] = [host.split('.'), own.split('.')]
  return (
    parts.length === ownParts.length &&
    parts.every((part, index) => matchesPart(part, ownParts[index] ?? ''))
  )
}

/** A star stands for any text. Linear in the length of both. */
function matchesPart(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  if (rest.length === 0) return pattern === text
  const last = rest.pop() ?? ''
  if (text.length < first.length + last.length) return false
  if (!text.startsWith(first) || !text.endsWith(last)) return false
  let at = first.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return at <= text.length - last.length
}
