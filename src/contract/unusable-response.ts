/** An answer that fits its schema and still cannot be used. */

export class UnusableResponse extends Error {
  /** JSON Pointer of the field. */
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.name = 'UnusableAnswer';
    this.field = field;
  }
}
