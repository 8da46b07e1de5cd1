// This separate file is loaded only when a pattern is used, because loading it is slow.
module.exports = require('re2js');
