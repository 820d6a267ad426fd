import { join, parse } from 'node:path'
import { parseSigningKey, type SigningKey } from '../../auth/auth.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import { logWith, type MetricValues } from '../../observe/observe.ts'
import type { GroupMember } from '../../processes/processes.ts'
import { HeadReader, isSharedStore } from '../../store/store.ts'
import type { ApiServerOptions } from '../options.ts'
import type { AuditSettings } from '../webhooks/start-audit.ts'

/** What every process of a server is told. */
export interface ProcessFacts {
  /** The private key that signs tokens of service accounts where none is given, in PEM. */
  readonly tokenKey: string
}

/** The options of one process of a server: its store is that of the supervisor, and what it may have at once is its share. */
export function groupOptions(options: ApiServerOptions, member: GroupMember): ApiServerOptions {
  const { count, number } = member
  const { tokenKey } = member.facts as ProcessFacts
  const { storage, limits, inFlight, audit, log } = options
  const share = (whole: number): number => Math.ceil(whole / count)
  return {
    ...options,
    log: logWith(log, { process: number }),
    ...(audit && { audit: auditOf(audit, number) }),
    storage: isSharedStore(storage)
      ? storage
      : { kind: 'remote', socket: member.socket(), head: new HeadReader(member.file) },
    ...(inFlight && {
      inFlight: { reading: share(inFlight.reading), changing: share(inFlight.changing) },
    }),
    limits: {
      ...limits,
      ...(limits?.connections !== undefined && { connections: share(limits.connections) }),
    },
    group: {
      number,
      tokenKey: signingKeyOf(tokenKey),
      listen: (name, where, take) => member.listen(name, where, take),
      shareMetrics: (values) => member.answer('metrics', values),
      otherMetrics: () => member.ask('metrics') as Promise<readonly MetricValues[]>,
    },
  }
}

/** Each process writes a file of its own, which it begins anew when it is full: `audit.log`, `audit.2.log`. */
function auditOf({ log, ...audit }: AuditSettings, number: number): AuditSettings {
  if (log === undefined || typeof log.output === 'function' || number === 1) {
    return { ...audit, ...(log && { log }) }
  }
  const { dir, name, ext } = parse(log.output.path)
  const path = join(dir, `${name}.${number}${ext}`)
  return { ...audit, log: { ...log, output: { ...log.output, path } } }
}

/** Reads the key at its first use. */
function signingKeyOf(pem: string): () => SigningKey {
  let read: SigningKey | undefined
  return () => {
    read ??= parseSigningKey(pem).keys[0]
    invariant(read !== undefined, 'the supervisor made a key')
    return read
  }
}
