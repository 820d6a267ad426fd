/** The rules: stable names of what may be wrong with a document. A rule is never renamed and its name never used for another. */

/** How much a finding counts: an error is what a server refuses, a warning what it takes and should not be sent. */
export type Severity = 'error' | 'warning' | 'note'

/** A rule. */
export interface Rule {
  readonly severity: Severity
  /** What it looks for, in one sentence. */
  readonly about: string
  /** What to do about a finding. */
  readonly remedy: string
}

/** Every rule by its id. */
export const rules = {
  'text.encoding': {
    severity: 'error',
    about: 'The bytes of a file are UTF-8.',
    remedy: 'Save the file as UTF-8.',
  },
  'text.size': {
    severity: 'error',
    about: 'A file is no larger than the limit.',
    remedy: 'Split the file, or raise --max-file-size.',
  },
  'text.unreadable': {
    severity: 'error',
    about: 'A file can be read.',
    remedy: 'Give it back its rights or the file that its link leads to, or remove it.',
  },
  'text.syntax': {
    severity: 'error',
    about: 'A document is YAML or JSON.',
    remedy: 'Mend the text at the position; documents behind it are checked all the same.',
  },
  'text.duplicate-key': {
    severity: 'error',
    about: 'A key stands once in its mapping.',
    remedy: 'Remove one of the two; a server that is not strict takes the last one.',
  },
  'text.value': {
    severity: 'error',
    about: 'Keys and values have a form in JSON.',
    remedy: 'Write a number, a text, true, false or null; a key is a text.',
  },
  'text.portable': {
    severity: 'warning',
    about: 'What is YAML can be read by kubectl, too.',
    remedy:
      'Write a text in brackets that has a question mark in quotes; remove a directive; write --- in place of ... before a document.',
  },
  'document.object': {
    severity: 'error',
    about: 'A document is a mapping with apiVersion and kind.',
    remedy: 'State both as texts.',
  },
  'config.invalid': {
    severity: 'error',
    about: 'A daemon takes its configuration file.',
    remedy:
      'Change the file as the finding says; orch config explain shows what a daemon makes of it.',
  },
  'kind.unknown': {
    severity: 'error',
    about: 'The kind is one of the schemas, or is defined by a document of the run.',
    remedy: 'Name a known kind, or give the definition or schema folder that has it.',
  },
  'kind.removed': {
    severity: 'error',
    about: 'The release still serves the version.',
    remedy: 'Use the version that the finding names.',
  },
  'kind.deprecated': {
    severity: 'warning',
    about: 'The release does not deprecate the version.',
    remedy: 'Move to the version that the finding names before the release that removes this one.',
  },
  'kind.newer': {
    severity: 'error',
    about: 'The release has the version of the kind.',
    remedy: 'Use an older version, as the finding names them, or a cluster of a newer release.',
  },
  'field.unknown': {
    severity: 'error',
    about: 'A field is one of its type.',
    remedy: 'Use the name that the schema has, or remove the field.',
  },
  'field.newer': {
    severity: 'error',
    about: 'The release has the field.',
    remedy: 'Remove the field: a server of the release drops it, or refuses the object.',
  },
  'field.type': {
    severity: 'error',
    about: 'A value has the type of its field.',
    remedy:
      'Write a value of the type that the finding names; quote texts that look like numbers or booleans.',
  },
  'field.required': {
    severity: 'error',
    about: 'A field that must be there is there.',
    remedy: 'Add the field.',
  },
  'field.invalid': {
    severity: 'error',
    about: 'A value keeps the formats, limits and rules of its field.',
    remedy: 'Change the value as the finding says.',
  },
  'field.not-supported': {
    severity: 'error',
    about: 'A value is one of those that its field lists.',
    remedy: 'Use one of the values that the finding names.',
  },
  'field.duplicate': {
    severity: 'error',
    about: 'Items of a list have keys of their own.',
    remedy: 'Rename or remove one of the two.',
  },
  'field.forbidden': {
    severity: 'error',
    about: 'A field is not set where another forbids it.',
    remedy: 'Remove one of the two.',
  },
  'field.not-found': {
    severity: 'error',
    about: 'What a field names inside the same object is there.',
    remedy: 'Add what is named, or name what is there.',
  },
  'field.size': {
    severity: 'error',
    about: 'A value is no longer, and has no more items, than its field allows.',
    remedy: 'Shorten it.',
  },
  'object.refused': {
    severity: 'error',
    about: 'A server takes the object.',
    remedy: 'Change what the finding names.',
  },
  'object.warning': {
    severity: 'warning',
    about: 'A server takes the object without a warning.',
    remedy: 'Change what the finding names.',
  },
  'policy.denied': {
    severity: 'error',
    about: 'The admission policies of the run allow the object.',
    remedy: 'Change the object as the policy says, or the policy.',
  },
  'policy.warning': {
    severity: 'warning',
    about: 'The admission policies of the run allow the object without a warning.',
    remedy: 'Change the object as the policy says.',
  },
  'policy.audit': {
    severity: 'note',
    about: 'The admission policies of the run allow the object without a note in the audit log.',
    remedy: 'Change the object as the policy says, or leave it: nobody is kept from creating it.',
  },
  'pod-security.level': {
    severity: 'error',
    about: 'A pod keeps the security level of its namespace.',
    remedy: 'Set the fields that the finding names, or change the level of the namespace.',
  },
  'pod-security.template': {
    severity: 'warning',
    about: 'The pods of a template keep the security level of their namespace.',
    remedy:
      'Set the fields that the finding names: a server takes the object and refuses its pods.',
  },
  'object.duplicate': {
    severity: 'error',
    about: 'An object stands once in the run.',
    remedy: 'Remove or rename one of the two: the one that is applied last would win.',
  },
  'reference.missing': {
    severity: 'warning',
    about: 'What a field names in another document is there.',
    remedy: 'Name what is there, add it, or suppress the finding if something else makes it.',
  },
  'reference.key': {
    severity: 'warning',
    about: 'A config map or secret has the key that is named of it.',
    remedy: 'Name a key that is there, or add it.',
  },
  'selector.matches-nothing': {
    severity: 'warning',
    about: 'A selector finds pods of the documents.',
    remedy: 'Use the labels that the pods have.',
  },
  'port.missing': {
    severity: 'warning',
    about: 'A port that is named is one of the service, or of a container.',
    remedy: 'Name a port that is there, or add it.',
  },
  'definition.references': {
    severity: 'warning',
    about: 'A definition declares references of its kind by fields that the kind has.',
    remedy: 'Write rows of x-orch-references as JSON, with fields of the schema.',
  },
  'migrate.refused': {
    severity: 'error',
    about: 'A document of an older version can be said in its replacement.',
    remedy: 'Change the document at the place by hand; orch migrate leaves its file as it is.',
  },
  'build.module': {
    severity: 'error',
    about:
      'A configuration module is evaluated without files, network, time, randomness or environment, and ends.',
    remedy: 'Mend the line; state as a value, or import as a file, what the module asks for.',
  },
  'build.value': {
    severity: 'error',
    about:
      'A configuration module exports objects, lists of them, and what the functions of orch/build give.',
    remedy: 'Export data with apiVersion and kind.',
  },
  'build.conflict': {
    severity: 'error',
    about: 'One owner states a field, and one place an object.',
    remedy: 'Remove one of the two, or state the same value in both.',
  },
  'suppression.malformed': {
    severity: 'error',
    about: 'A comment that suppresses findings names known rules and a reason.',
    remedy: 'Write `# orch-ignore RULE[, RULE] [until YYYY-MM-DD]: REASON`.',
  },
  'suppression.expired': {
    severity: 'error',
    about: 'A comment that suppresses findings has not expired.',
    remedy: 'Mend what it suppresses, or give it a new date with a reason that still holds.',
  },
  'suppression.unused': {
    severity: 'warning',
    about: 'A comment that suppresses findings suppresses one.',
    remedy: 'Remove the comment.',
  },
} as const satisfies Readonly<Record<string, Rule>>

/** The id of a rule. */
export type RuleId = keyof typeof rules

/** True for a rule about what documents say of each other, which is judged once all are known. */
export function isAcross(id: string): boolean {
  return /^(reference|selector|port)\./.test(id)
}

/** True for the id of a rule. */
export function isRule(id: string): id is RuleId {
  return Object.hasOwn(rules, id)
}
