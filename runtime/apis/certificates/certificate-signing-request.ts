import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
  CertificateSigningRequestSpec,
  CertificateSigningRequestStatus,
} from '../../../generated/apis/certificates/v1.ts'
import { timestamp } from '../../kernel/async/clock.ts'
import { change } from '../../kernel/values/change.ts'
import { isDerSequence, pemBlocks } from '../../kernel/values/pem.ts'
import type { Field } from '../../kernel/walker/field.ts'
import type { Loose } from '../../kernel/walker/loose.ts'
import type { Strategy } from '../strategy/strategy.ts'

type Condition = Loose<CertificateSigningRequestCondition>

/**
 * Who made a request is not for its author to say; it is only approved, denied and answered afterwards, and approval and
 * denial stay and exclude each other. Each subresource writes its own conditions.
 */
export const certificateSigningRequest: Strategy<CertificateSigningRequest> = {
  prepareCreate(object) {
    if (object.spec === undefined) return object
    const { username, uid, groups, extra, ...spec } = object.spec
    return change(object, { spec })
  },
  prepareSubresource(object, old, { subresource, now }) {
    const [before, wanted] = [old, object].map(({ status }) => status?.conditions ?? [])
    const kept = subresource === 'status' && decisionsIn(before) !== decisionsIn(wanted)
    const conditions = (kept ? before : wanted)?.map((each) =>
      withTimes(each, before ?? [], timestamp(now)),
    )
    return change(object, { status: { ...object.status, conditions: conditions ?? [] } })
  },
  check(object, { platform, subresource }) {
    if (object.old === undefined) checkSpec(object.child('spec'), platform.domain)
    const status = object.child('status')
    checkConditions(status)
    checkRemoved(status)
    checkCertificate(status, subresource === 'status')
  },
}

const decisions = ['Approved', 'Denied']
const final = [...decisions, 'Failed']

/** The types of approvals and denials, sorted. */
function decisionsIn(conditions: readonly Condition[] | undefined): string {
  const types = (conditions ?? []).map(({ type = '' }) => type)
  return types
    .filter((type) => decisions.includes(type))
    .sort()
    .join()
}

function withTimes(condition: Condition, before: readonly Condition[], now: string): Condition {
  const same = before.find(({ type }) => type === condition.type)
  const kept = same?.status === condition.status ? same?.lastTransitionTime : undefined
  return {
    ...condition,
    lastUpdateTime: condition.lastUpdateTime ?? now,
    lastTransitionTime: condition.lastTransitionTime ?? kept ?? now,
  }
}

function checkSpec(spec: Field<CertificateSigningRequestSpec>, domain: string): void {
  const { request = '', signerName, usages } = spec.value
  const [block] = pemBlocks(Buffer.from(request, 'base64').toString('latin1'))
  if (block?.type !== 'CERTIFICATE REQUEST' || !isDerSequence(block.der)) {
    const shown = request === '' ? '' : '<request>'
    spec.invalid('request', 'PEM block type must be CERTIFICATE REQUEST', shown)
  }
  spec.visit('signerName')
  if (signerName === `${domain}/legacy-unknown`) {
    spec.invalid('signerName', 'the legacy signerName is not allowed via this API version')
  }
  if (!usages?.length) spec.required('usages')
  const seen = new Set<string>()
  spec.each('usages', (usage) => usage.distinct('', seen))
}

type Status = Field<CertificateSigningRequestStatus>

function checkConditions(status: Status): void {
  const seen = new Set<string>()
  status.each('conditions', (condition) => {
    const { type = '', status: held } = condition.value
    if (type === '') condition.required('type')
    condition.distinct('type', seen)
    if (decisions.some((other) => other !== type && seen.has(other)) && decisions.includes(type)) {
      condition.invalid('type', 'Approved and Denied conditions are mutually exclusive')
    }
    if (final.includes(type) && held !== 'True') condition.unsupported('status', ['True'])
  })
}

function checkRemoved(status: Status): void {
  const types = new Set(status.value.conditions?.map(({ type }) => type))
  for (const { type = '' } of status.old?.conditions ?? []) {
    if (!final.includes(type) || types.has(type)) continue
    const why = `updates may not remove a condition of type ${JSON.stringify(type)}`
    status.forbidden('conditions', why)
  }
}

function checkCertificate(status: Status, writable: boolean) {
  const { certificate } = status.value
  const before = status.old?.certificate
  if (certificate === before) return
  if (!writable) {
    return status.forbidden('certificate', 'updates may not set certificate content')
  }
  if (before) {
    return status.forbidden('certificate', 'updates may not modify existing certificate content')
  }
  const wrong = (why: string) => status.invalid('certificate', why, '<certificate data>')
  const blocks = pemBlocks(Buffer.from(certificate ?? '', 'base64').toString('latin1'))
  if (blocks.length === 0) wrong('must contain at least one CERTIFICATE PEM block')
  for (const { type } of blocks) {
    if (type === 'CERTIFICATE') continue
    wrong(`only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`)
  }
}
