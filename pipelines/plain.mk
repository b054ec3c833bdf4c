# Refuses values that a user gives to variables if make or a shell would run them, before anything expands them.
#
#   $(call plain,VARIABLES,MORE)   only letters, digits, blanks, and _ . , + ~ @ - and the signs MORE
#   $(call folder,VARIABLE)        one such word that is the name of a folder, not a path to another one

plain_signs := a b c d e f g h i j k l m n o p q r s t u v w x y z A B C D E F G H I J K L M N O P Q R S T U V W X Y Z \
	0 1 2 3 4 5 6 7 8 9 _ . + ~ @ -
plain_comma := ,
define plain_newline


endef

# Whether the user gave variable $1, and its value without expanding it.
plain_given = $(filter command environment,$(firstword $(origin $1)))
plain_value = $(if $(findstring $(plain_newline),$(value $1)),|,$(subst $(plain_comma),,$(value $1)))
# What is left of the value without plain signs.
plain_left  = $(eval left := $$(call plain_value,$1))$(foreach s,$(plain_signs) $2,$(eval left := $$(subst $s,,$$(left))))$(left)
plain  = $(foreach v,$1,$(if $(call plain_given,$v),$(if $(strip $(call plain_left,$v,$2)),$(error $v has signs that make or a shell would take for their own; give plain names, or a link with one))))
folder = $(call plain,$1)$(if $(call plain_given,$1),$(if $(filter-out 1,$(words $(value $1)))$(filter . .. -% ~%,$(value $1)),$(error $1 must be the name of a folder: one word without slashes, which begins with a letter or digit)))
