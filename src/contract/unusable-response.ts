export class UnusableResponse extends Error {
  /** JSON Pointer of the field. */
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.name = 'UnusableResponse';
    this.field = field;
  }
}
