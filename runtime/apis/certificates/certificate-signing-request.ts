/** The rules of CertificateSigningRequest. */

import { timestamp } from '../../kernel/async/clock.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { flagDuplicates } from '../../kernel/values/duplicates.ts'
import { change } from '../strategy/change.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { duplicate, forbidden, invalid, required, unsupported } from '../types/field-errors.ts'
import type { List, TimeText } from '../types/shapes.ts'
import { isDerSequence, pemBlocks } from './pem.ts'
import { signerProblems } from './signers.ts'

interface Decision {
  readonly type?: string
  readonly status?: string
  readonly lastUpdateTime?: TimeText
  readonly lastTransitionTime?: TimeText
}

/** What the rules and cells of CertificateSigningRequest look at. */
export interface CertificateRequest extends ApiObject {
  readonly spec?: {
    readonly request?: string
    readonly signerName?: string
    readonly expirationSeconds?: number
    readonly usages?: List<string>
    readonly username?: string
    readonly uid?: string
    readonly groups?: List<string>
    readonly extra?: Readonly<Record<string, List<string>>>
  }
  readonly status?: { readonly conditions?: List<Decision>; readonly certificate?: string }
}

/**
 * Who made a request is not for its author to say; it is only approved, denied and answered afterwards, and approval and
 * denial stay and exclude each other. Each subresource writes its own decisions.
 */
export const certificateSigningRequest: Strategy = {
  prepareCreate(object) {
    const { spec } = object as CertificateRequest
    if (spec === undefined) return object
    const { username, uid, groups, extra, ...asked } = spec
    return change(object as CertificateRequest, { spec: asked })
  },
  prepareSubresource(object, old, { subresource, now }) {
    const [given, stored] = [object as CertificateRequest, old as CertificateRequest]
    const before = stored.status?.conditions ?? []
    const wanted = given.status?.conditions ?? []
    const conditions =
      subresource === 'status' && !equalTypes(decided(before), decided(wanted)) ? before : wanted
    const dated = conditions.map((each) => withTimes(each, before, timestamp(now)))
    return change(given, { status: { ...given.status, conditions: dated } })
  },
  validate(object, old, { platform, subresource }) {
    const { spec = {}, status = {} } = object as CertificateRequest
    const before = (old as CertificateRequest | undefined)?.status
    return [
      ...(old === undefined ? checkSpec(spec, `${platform.domain}/legacy-unknown`) : []),
      ...checkDecisions(status.conditions ?? []),
      ...checkRemoved(before?.conditions ?? [], status.conditions ?? []),
      ...checkCertificate(status.certificate, before?.certificate, subresource === 'status'),
    ]
  },
}

const decisions = ['Approved', 'Denied']
const final = [...decisions, 'Failed']

/** Approvals and denials. */
function decided(conditions: readonly Decision[]): readonly Decision[] {
  return conditions.filter(({ type = '' }) => decisions.includes(type))
}

function equalTypes(a: readonly Decision[], b: readonly Decision[]): boolean {
  const types = (list: readonly Decision[]) =>
    list
      .map(({ type }) => type)
      .sort()
      .join()
  return types(a) === types(b)
}

function withTimes(condition: Decision, before: readonly Decision[], now: string): Decision {
  const same = before.find(({ type }) => type === condition.type)
  const kept = same?.status === condition.status ? same?.lastTransitionTime : undefined
  return {
    ...condition,
    lastUpdateTime: condition.lastUpdateTime ?? now,
    lastTransitionTime: condition.lastTransitionTime ?? kept ?? now,
  }
}

function checkSpec(
  spec: NonNullable<CertificateRequest['spec']>,
  legacy: string,
): readonly FieldError[] {
  const { request = '', signerName = '', usages } = spec
  return [
    ...checkRequest(request),
    ...signerProblems('spec.signerName', signerName),
    ...(signerName === legacy
      ? [
          invalid(
            'spec.signerName',
            signerName,
            'the legacy signerName is not allowed via this API version',
          ),
        ]
      : []),
    ...checkUsages(usages ?? []),
  ]
}

function checkRequest(request: string): readonly FieldError[] {
  const [block] = pemBlocks(Buffer.from(request, 'base64').toString('latin1'))
  if (block?.type === 'CERTIFICATE REQUEST' && isDerSequence(block.der)) return []
  const shown = request === '' ? '' : '<request>'
  return [invalid('spec.request', shown, 'PEM block type must be CERTIFICATE REQUEST')]
}

function checkUsages(usages: readonly string[]): readonly FieldError[] {
  if (usages.length === 0) return [required('spec.usages')]
  const again = flagDuplicates(usages)
  return usages.flatMap((usage, at) => (again[at] ? [duplicate(`spec.usages[${at}]`, usage)] : []))
}

function checkDecisions(conditions: readonly Decision[]): readonly FieldError[] {
  const types = conditions.map(({ type }) => type)
  const again = flagDuplicates(types)
  const firsts = new Map(decisions.map((type) => [type, types.indexOf(type)]))
  return conditions.flatMap(({ type = '', status }, at) => {
    const path = `status.conditions[${at}]`
    const other = type === 'Approved' ? 'Denied' : 'Approved'
    const first = firsts.get(other) ?? -1
    const torn = decisions.includes(type) && first >= 0 && first < at
    return [
      ...(type === '' ? [required(`${path}.type`)] : []),
      ...(again[at] ? [duplicate(`${path}.type`, type)] : []),
      ...(torn
        ? [invalid(`${path}.type`, type, 'Approved and Denied conditions are mutually exclusive')]
        : []),
      ...(final.includes(type) && status !== 'True'
        ? [unsupported(`${path}.status`, status, ['True'])]
        : []),
    ]
  })
}

function checkRemoved(
  before: readonly Decision[],
  now: readonly Decision[],
): readonly FieldError[] {
  const types = now.map(({ type }) => type)
  return before
    .filter(({ type = '' }) => final.includes(type) && !types.includes(type))
    .map(({ type }) =>
      forbidden(
        'status.conditions',
        `updates may not remove a condition of type ${JSON.stringify(type)}`,
      ),
    )
}

function checkCertificate(
  certificate: string | undefined,
  before: string | undefined,
  writable: boolean,
): readonly FieldError[] {
  if (certificate === before) return []
  const path = 'status.certificate'
  if (!writable) return [forbidden(path, 'updates may not set certificate content')]
  if (before) return [forbidden(path, 'updates may not modify existing certificate content')]
  const blocks = pemBlocks(Buffer.from(certificate ?? '', 'base64').toString('latin1'))
  if (blocks.length === 0) {
    return [invalid(path, '<certificate data>', 'must contain at least one CERTIFICATE PEM block')]
  }
  return blocks
    .filter(({ type }) => type !== 'CERTIFICATE')
    .map(({ type }) =>
      invalid(
        path,
        '<certificate data>',
        `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`,
      ),
    )
}
