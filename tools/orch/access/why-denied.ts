/** `orch why-denied`: the smallest rule that would have allowed what was denied. */
import { readFile } from 'node:fs/promises'
import type { Terminal } from '../../../daemons/run.ts'
import type { SubjectAccessReview } from '../../../generated/apis/authorization/v1.ts'
import { ruleText, smallestRule } from '../../../runtime/auth/auth.ts'
import { type ClientLine, type Row, runClientCommand, sharedHelp } from '../client-command.ts'
import { actingGroups } from './acting-groups.ts'
import { askedOf } from './rights.ts'

const help = `Tells why a request is denied, and the smallest rule that would allow it.

Usage:
  orch why-denied VERB RESOURCE [NAME] --as USER [--as-group GROUP] [-n NS] [flags]
  orch why-denied --audit-log FILE [AUDIT-ID]

  orch why-denied delete pods --as jane -n shop
  orch why-denied --audit-log audit.log

The first asks the server, which takes the right to create subjectaccessreviews. The second reads what an audit log says of denied
requests, all of them or one.

Flags:
      --as USER          who is denied
      --as-group GROUP   a group of that user; may be given more than once
      --audit-log FILE   the audit log of the server
${sharedHelp}`

const flags = {
  as: { type: 'string', default: '' },
  'as-group': { type: 'string', multiple: true, default: [] as string[] },
  'audit-log': { type: 'string', default: '' },
}

/** Runs the command. 0: told; 1: the server or the file cannot be asked; 2: the command line is wrong. */
export function runWhyDenied(terminal: Terminal): Promise<number> {
  return runClientCommand({ name: 'why-denied', help, flags }, terminal, whyDenied)
}

async function whyDenied(line: ClientLine): Promise<number> {
  const { words, values, failed, show } = line
  const file = String(values['audit-log'])
  if (file !== '') {
    show(deniedIn(await readFile(file, 'utf8'), words[0]))
    return 0
  }
  if (words.length < 2 || words.length > 3 || values.as === '') {
    return failed(2, 'name a verb, a resource and --as USER, or an --audit-log')
  }
  show([await reviewed(line)])
  return 0
}

/** The denied requests of an audit log, or the one of an audit id. Lines that are no records are passed over. */
export function deniedIn(text: string, auditId?: string): readonly Row[] {
  return text.split('\n').flatMap((line) => {
    const record = recordOf(line)
    const annotations = record?.annotations ?? {}
    const find = (end: string) =>
      Object.entries(annotations).find(([key]) => key.endsWith(`/${end}`))?.[1]
    if (record === undefined || find('decision') !== 'forbid') return []
    if (auditId !== undefined && record.auditID !== auditId) return []
    return [
      {
        id: record.auditID ?? '',
        user: record.user?.username ?? '',
        request: `${record.verb ?? ''} ${record.requestURI ?? ''}`,
        reason: find('reason') ?? '',
        rule: find('missing-rule') ?? '',
      },
    ]
  })
}

interface AuditRecord {
  readonly auditID?: string
  readonly verb?: string
  readonly requestURI?: string
  readonly user?: { readonly username?: string }
  readonly annotations?: Readonly<Record<string, string>>
}

function recordOf(line: string): AuditRecord | undefined {
  try {
    const value = JSON.parse(line) as AuditRecord | null
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

async function reviewed({ words, values, connected }: ClientLine): Promise<Row> {
  const client = await connected()
  const asked = await askedOf(client, words, String(values.namespace))
  const { verb, group, resource, subresource, namespace, name, path } = asked
  const user = String(values.as)
  const groups = [...(values['as-group'] as readonly string[]), ...actingGroups(user)]
  const attributes =
    path === undefined
      ? { resourceAttributes: { verb, group, resource, subresource, namespace, name } }
      : { nonResourceAttributes: { verb, path } }
  const reviews = await client.dynamic('subjectaccessreviews')
  const answer = await reviews.create({
    metadata: {},
    spec: { user, groups, ...attributes },
  } as never)
  const { allowed = false, reason = '' } =
    (answer as unknown as Partial<SubjectAccessReview>).status ?? {}
  const rule = allowed ? '' : ruleText(smallestRule({ user: { username: user, groups }, ...asked }))
  return { user, allowed: allowed ? 'yes' : 'no', reason, rule }
}
