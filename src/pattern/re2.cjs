// This separate file is loaded only when a pattern is used, because loading it takes longer than running most
// commands.
module.exports = require('re2js');
