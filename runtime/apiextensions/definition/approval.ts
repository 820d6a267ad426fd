import type { Platform } from '../../kernel/descriptors/platform.ts'
import type { Condition } from '../../kernel/meta/status-conditions.ts'
import { capitalized } from '../../kernel/values/capitalized.ts'
import { quoted } from '../../kernel/values/quoted.ts'
import type { Definition } from './definition.ts'

/** The approval of a definition in a protected group; `free` for groups that are not protected. */
export interface Approval {
  readonly state: 'free' | 'missing' | 'invalid' | 'approved' | 'unapproved'
  readonly value: string
}

/** The annotation that approves a definition in one of the platform's own groups (supplement C-02). */
export function approvalAnnotation({ domain }: Platform): string {
  return `api-approved.${domain}`
}

/**
 * The approval of a definition by its annotation. A group is protected if it is the platform's API
 * domain or plain domain, or lies below one of them. Only a text that begins with `unapproved` is
 * known as such; every other text has to be a URL with a host.
 */
export function approvalOf({ metadata, spec }: Definition, platform: Platform): Approval {
  const suffixes = new Set([platform.api, platform.domain])
  const own = [...suffixes].some((one) => spec.group === one || spec.group.endsWith(`.${one}`))
  const value = metadata.annotations?.[approvalAnnotation(platform)] ?? ''
  if (!own) return { state: 'free', value }
  if (value === '') return { state: 'missing', value }
  if (value.startsWith('unapproved')) return { state: 'unapproved', value }
  return { state: isAddress(value) ? 'approved' : 'invalid', value }
}

/** A URL without a host (`mailto:`, `file:///x`) points at no review that a reader could open. */
function isAddress(text: string): boolean {
  return URL.canParse(text) && new URL(text).host !== ''
}

/** What is wrong with an annotation that is missing or says nothing, in the words of public servers. */
export function approvalProblem(state: 'missing' | 'invalid', platform: Platform): string {
  const needed = `protected groups must have approval annotation ${JSON.stringify(approvalAnnotation(platform))}`
  const form =
    state === 'missing' ? '' : ' with either a URL or a reason starting with "unapproved"'
  return `${needed}${form}, see https://github.com/kubernetes/enhancements/pull/1111`
}

/**
 * The status condition about the approval; undefined for a group that is not protected. It says
 * nothing about whether the definition is served: release 1.29 refuses a missing or invalid
 * annotation when the definition is created, and only reports it for definitions that are there
 * already.
 */
export function approvalCondition(
  definition: Definition,
  platform: Platform,
): Condition | undefined {
  const { state, value } = approvalOf(definition, platform)
  const brand = capitalized(platform.brand)
  const type = `${brand}APIApprovalPolicyConformant`
  switch (state) {
    case 'free':
      return undefined
    case 'missing': {
      const message = approvalProblem(state, platform)
      return { type, status: 'False', reason: 'MissingAnnotation', message }
    }
    case 'invalid': {
      const message = approvalProblem(state, platform)
      return { type, status: 'False', reason: 'InvalidAnnotation', message }
    }
    case 'approved': {
      const message = `approved in ${value}`
      return { type, status: 'True', reason: 'ApprovedAnnotation', message }
    }
    case 'unapproved': {
      const message = `not approved: ${quoted(value)}`
      return { type, status: 'False', reason: 'UnapprovedAnnotation', message }
    }
  }
}
