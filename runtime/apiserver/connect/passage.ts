/** Requests that go on whole to what is behind a path of this server. */
import { posix } from 'node:path'

/** Where a request goes on to, and where its client finds that. */
export interface Passage {
  /** Host and port that are asked. */
  readonly host: string
  /** Host and port that the client asked. */
  readonly asked: string
  /** The path of this server at which the root of the host is. */
  readonly prefix: string
}

/** The path that the client asked for, without what says nothing in it. */
export function askedPath({ prefix }: Passage, path: string): string {
  const [own = ''] = path.split('?', 1)
  const joined = posix.join(prefix, own)
  return own.endsWith('/') && !joined.endsWith('/') ? `${joined}/` : joined
}

/** A redirect as the client has to follow it: to other hosts, and without a whole path, it is right as it is. */
export function movedLink(link: string, { host, asked, prefix }: Passage): string {
  const [, origin = '', authority, path = ''] =
    /^((?:https?:)?\/\/([^/?#]*))?(.*)$/s.exec(link) ?? []
  const isOthers = authority !== undefined && authority !== host && authority !== asked
  if (isOthers || !path.startsWith('/')) return link
  const kept = authority === asked ? origin : ''
  return kept + (path.startsWith(prefix) ? path : prefix + path)
}
